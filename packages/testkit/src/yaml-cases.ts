import { readFileSync, writeFileSync } from 'node:fs';
import type { SendRequest } from './conversation.ts';

/** The result of one request: the value of the field, or the code of the error. */
export interface YamlVerdict {
  readonly value?: unknown;
  readonly code?: number;
  readonly warning?: string;
}

/** By the field that contained the text. */
export type YamlVerdicts = Record<string, YamlVerdict>;

/** One YAML text: a scalar value, a block value of several lines, or a whole document. */
export interface YamlCase {
  readonly scalar?: string;
  readonly block?: string;
  readonly document?: string;
  /** the results of kube-apiserver */
  said?: YamlVerdicts;
  /** the expected results of Tidegate where they differ; `because` is the reason */
  readonly here?: YamlVerdicts;
  readonly because?: string;
}

export function readYamlCases(file: string): YamlCase[] {
  return JSON.parse(readFileSync(file, 'utf8')) as YamlCase[];
}

export function writeYamlCases(file: string, cases: readonly YamlCase[]): void {
  writeFileSync(file, `[\n${cases.map((one) => JSON.stringify(one)).join(',\n')}\n]\n`);
}

/** The kind of the documents, which preserves unknown fields. */
export const yamlThings = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'things.yaml.example.com' },
  spec: {
    group: 'yaml.example.com',
    scope: 'Cluster',
    names: { plural: 'things', kind: 'Thing' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};

// biome-ignore lint/suspicious/noExplicitAny: answers of any kind are looked into
type Body = any;

interface Field {
  readonly path: string;
  readonly body: (scalar: string) => string;
  readonly read: (answer: Body) => unknown;
}

const THINGS = '/apis/yaml.example.com/v1/things';
const HEAD = 'apiVersion: yaml.example.com/v1\nkind: Thing\nmetadata:\n  name: NAME\n';
const CORE = '/api/v1/namespaces/default';
const template = (spec: string) =>
  `apiVersion: v1\nkind: PodTemplate\nmetadata:\n  name: NAME\ntemplate:\n  spec:\n    containers:\n    - name: a\n      image: a:1\n${spec}`;
const configMap = (rest: string) => `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: NAME\n${rest}`;

/** A field of each type that a scalar can have. */
const FIELDS: Readonly<Record<string, Field>> = {
  any: {
    path: THINGS,
    body: (scalar) => `${HEAD}spec:\n  value: ${scalar}\n`,
    read: ({ spec }) => spec?.value,
  },
  text: {
    path: `${CORE}/configmaps`,
    body: (scalar) => configMap(`data:\n  value: ${scalar}\n`),
    read: ({ data }) => data?.value,
  },
  boolean: {
    path: `${CORE}/configmaps`,
    body: (scalar) => configMap(`immutable: ${scalar}\n`),
    read: ({ immutable }) => immutable,
  },
  whole: {
    path: `${CORE}/podtemplates`,
    body: (scalar) =>
      template(`    volumes:\n    - name: v\n      configMap:\n        name: c\n        defaultMode: ${scalar}\n`),
    read: ({ template: { spec } }) => spec.volumes[0].configMap.defaultMode,
  },
  quantity: {
    path: `${CORE}/podtemplates`,
    body: (scalar) => template(`      resources:\n        limits:\n          memory: ${scalar}\n`),
    read: ({ template: { spec } }) => spec.containers[0].resources.limits?.memory,
  },
  wholeOrText: {
    path: '/apis/policy/v1/namespaces/default/poddisruptionbudgets',
    body: (scalar) =>
      `apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata:\n  name: NAME\nspec:\n  selector: {}\n  minAvailable: ${scalar}\n`,
    read: ({ spec }) => spec?.minAvailable,
  },
};

/** Sends a text to a server in every field that may contain it, as dry runs, and returns the results. */
export async function yamlVerdicts(
  send: SendRequest,
  parse: (text: string) => unknown,
  { scalar, block, document }: YamlCase,
): Promise<YamlVerdicts> {
  const thing = { path: THINGS, read: ({ kind, spec, metadata: { name } }: Body) => ({ kind, name, spec }) };
  const verdicts: YamlVerdicts = {};
  const take = async (name: string, { path, read }: Pick<Field, 'path' | 'read'>, text: string, type: string) => {
    const isApplied = type === APPLY;
    const body = text.replaceAll('NAME', 'yaml-case');
    const query = `dryRun=All${isApplied ? '&fieldManager=yaml' : ''}`;
    const {
      code,
      text: responseText,
      headers,
    } = await send(isApplied ? 'PATCH' : 'POST', `${path}${isApplied ? '/yaml-case' : ''}?${query}`, {
      body,
      headers: { 'Content-Type': type, Accept: 'application/json' },
    });
    const { warning } = headers;
    const warnings = warning === undefined ? {} : { warning: String(warning) };
    const answer = parse(responseText) as Body;
    verdicts[name] = code < 300 ? { value: read(answer) ?? null, ...warnings } : { code };
  };
  if (scalar !== undefined) {
    for (const [name, field] of Object.entries(FIELDS)) await take(name, field, field.body(scalar), YAML);
    await take('applied', FIELDS.any as Field, (FIELDS.any as Field).body(scalar), APPLY);
  } else {
    const text = document ?? `${HEAD}spec:${block}\n`;
    await take('made', thing, text, YAML);
    await take('applied', thing, text, APPLY);
  }
  return verdicts;
}

const YAML = 'application/yaml';
const APPLY = 'application/apply-patch+yaml';
