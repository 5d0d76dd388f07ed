import { ofKind, render } from './render.ts';

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly targets?: ReadonlyArray<{ readonly expr: string; readonly legendFormat: string }>;
}

export interface Dashboard {
  readonly uid: string;
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: ReadonlyArray<{ readonly name: string; readonly query: unknown }> };
}

export interface Rule {
  readonly alert?: string;
  readonly record?: string;
  readonly expr: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** The dashboard as the chart renders it. */
export function dashboard(): Dashboard {
  const [found] = ofKind(render('everything'), 'ConfigMap').filter(({ data }) => data['tidegate.json'] !== undefined);
  return JSON.parse(found.data['tidegate.json']) as Dashboard;
}

/** The rules as the chart renders them. */
export function rules(): readonly Rule[] {
  const [found] = ofKind(render('everything'), 'PrometheusRule');
  return found.spec.groups.flatMap((group: { rules: Rule[] }) => group.rules);
}

/** All expressions of the dashboard and the rules, with the labels that their legends and annotations use. */
export function expressions(): ReadonlyArray<{ place: string; expr: string; named: readonly string[] }> {
  const fromPanels = dashboard().panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr, legendFormat }) => ({
      place: title,
      expr,
      named: [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = '']) => label),
    })),
  );
  const fromRules = rules().map(({ alert, record, expr, annotations = {} }) => ({
    place: alert ?? record ?? '',
    expr,
    named: [
      ...Object.values(annotations)
        .join(' ')
        .matchAll(/\$labels\.(\w+)/g),
    ].map(([, label = '']) => label),
  }));
  return [...fromPanels, ...fromRules];
}
