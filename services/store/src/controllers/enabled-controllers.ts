import { OptionError } from '@tidegate/options';

const NAMES = [
  'clusterrole-aggregation-controller',
  'garbage-collector-controller',
  'namespace-controller',
  'persistentvolume-protection-controller',
  'persistentvolumeclaim-protection-controller',
  'resourcequota-controller',
  'root-ca-certificate-publisher-controller',
  'serviceaccount-controller',
  'volumeattributesclass-protection-controller',
] as const;
export type ControllerName = (typeof NAMES)[number];

/** The older names of kube-controller-manager, which it still accepts, and one common spelling. */
const ALIASES: Readonly<Record<string, ControllerName>> = {
  'clusterrole-aggregation': 'clusterrole-aggregation-controller',
  garbagecollector: 'garbage-collector-controller',
  'garbage-collector': 'garbage-collector-controller',
  namespace: 'namespace-controller',
  'pv-protection': 'persistentvolume-protection-controller',
  'pvc-protection': 'persistentvolumeclaim-protection-controller',
  resourcequota: 'resourcequota-controller',
  'root-ca-cert-publisher': 'root-ca-certificate-publisher-controller',
  serviceaccount: 'serviceaccount-controller',
};

/**
 * Which controllers run, by a list in kube-controller-manager's form: `*` enables all, a name enables one, and `-name`
 * disables one wherever it is in the list.
 */
export function enabledControllers(list: readonly string[]): ReadonlySet<ControllerName> {
  const named = list.map((item) => {
    if (item === '*') return item;
    const [minus, name] = item.startsWith('-') ? ['-', item.slice(1)] : ['', item];
    const known = NAMES.find((one) => one === name) ?? (Object.hasOwn(ALIASES, name) ? ALIASES[name] : undefined);
    if (known !== undefined) return minus + known;
    throw new OptionError(
      `--controllers: unknown controller ${item}; use *, or ${NAMES.join(', ')}, each with or without - before it`,
    );
  });
  const runs = (name: ControllerName) => !named.includes(`-${name}`) && (named.includes(name) || named.includes('*'));
  return new Set(NAMES.filter(runs));
}
