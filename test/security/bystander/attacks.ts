import { configMap } from '../../support/client.ts';

interface Request {
  readonly method: string;
  /** below the attacker's namespace, unless it begins with a slash */
  readonly path: string;
  readonly body: string | Buffer;
  readonly accept?: string;
  readonly contentType?: string;
}

/** What somebody with an ordinary right sends, who wants everybody else to wait. */
export interface Attack {
  readonly title: string;
  /** what is there before; it is not what is measured */
  readonly before?: () => Request;
  readonly request: () => Request;
  /** so many times, one after another */
  readonly times?: number;
  /** so many of them at once, each time */
  readonly atOnce?: number;
}

const MAX_BODY = 3 << 20;
const JSON_PATCH = 'application/json-patch+json';
const APPLY = 'application/apply-patch+yaml';
const MERGE_PATCH = 'application/merge-patch+json';
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const ROLES = '/apis/rbac.authorization.k8s.io/v1/namespaces/own/roles';

const many = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));

function post(path: string, body: unknown): Request {
  return { method: 'POST', path, body: JSON.stringify(body) };
}

const container = { name: 'a', image: 'example.com/a' };

function pod(name: string, spec: object): Request {
  return post('pods', { metadata: { name }, spec: { containers: [container], ...spec } });
}

function spreadPod(count: number): Request {
  const constraint = (i: number) => ({ maxSkew: 1, topologyKey: `k${i}`, whenUnsatisfiable: 'DoNotSchedule' });
  return pod('spread', { topologySpreadConstraints: many(count, constraint) });
}

/** As many as make a body of the most bytes that are permitted. */
function asManyAsFit<T>(make: (i: number) => T): T[] {
  const each = JSON.stringify(make(10_000_000)).length + 1;
  return many(Math.floor((MAX_BODY - 1000) / each), make);
}

export const ATTACKS: readonly Attack[] = [
  {
    title: 'a ConfigMap volume of 10,000 items on one path',
    request: () => {
      const items = many(10_000, (i) => ({ key: `k${i}`, path: 'p' }));
      return pod('items', { volumes: [{ name: 'v', configMap: { name: 'c', items } }] });
    },
  },
  {
    title: '30,000 projected sources',
    request: () => {
      const sources = many(30_000, () => ({ configMap: { name: 'c', items: [{ key: 'k', path: 'p' }] } }));
      return pod('sources', { volumes: [{ name: 'v', projected: { sources } }] });
    },
  },
  {
    title: 'a role of 230 groups, resources and verbs',
    request: () => {
      const [verbs, apiGroups, resources] = ['v', 'g', 'r'].map((word) => many(230, (i) => `${word}${i}`));
      return post(ROLES, { metadata: { name: 'product' }, rules: [{ verbs, apiGroups, resources }] });
    },
  },
  {
    title: 'a role of 10,000 rules',
    request: () => {
      const rules = many(10_000, (i) => ({ verbs: ['get'], apiGroups: [`g${i}`], resources: [`r${i}`] }));
      return post(ROLES, { metadata: { name: 'rules' }, rules });
    },
  },
  {
    title: 'a path of a role that is nothing but stars',
    request: () => {
      const rules = [{ verbs: ['get'], nonResourceURLs: [`/${'*'.repeat(MAX_BODY / 2)}x*y`] }];
      const metadata = { name: 'stars' };
      return post('/apis/rbac.authorization.k8s.io/v1/clusterroles', { metadata, rules });
    },
  },
  {
    title: 'a JSON patch of 700 moves in a list of 1.2 million',
    before: () => post('configmaps', configMap('moved')),
    request: () => {
      const list = { op: 'add', path: '/data/a', value: many(1_200_000, () => 1) };
      const moves = many(700, () => ({ op: 'move', from: '/data/a/0', path: '/data/a/-' }));
      const body = JSON.stringify([list, ...moves]);
      return { method: 'PATCH', path: 'configmaps/moved', body, contentType: JSON_PATCH };
    },
  },
  {
    title: '30,000 topology spread constraints',
    request: () => spreadPod(30_000),
  },
  {
    title: 'as many topology spread constraints as are permitted',
    request: () => spreadPod(15_000),
  },
  {
    title: '12,000 mounts and 8,000 devices',
    request: () => {
      const volumeMounts = many(12_000, (i) => ({ name: `m${i}`, mountPath: `/m${i}` }));
      const volumeDevices = many(8000, (i) => ({ name: `d${i}`, devicePath: `/d${i}` }));
      return pod('mounts', { containers: [{ ...container, volumeMounts, volumeDevices }] });
    },
  },
  {
    title: 'a merge patch of 36 bytes on a pod of 7,000 tolerations',
    before: () => pod('tolerant', { tolerations: many(7000, (i) => ({ key: `k${i}`, operator: 'Exists' })) }),
    request: () => {
      const body = '{"metadata":{"labels":{"a":"b"}}}   ';
      return { method: 'PATCH', path: 'pods/tolerant', body, contentType: MERGE_PATCH };
    },
  },
  {
    title: 'a definition of 10,000 versions',
    request: () => {
      const versions = many(10_000, (i) => ({
        name: `v${i + 1}`,
        served: true,
        storage: i === 0,
        schema: { openAPIV3Schema: { type: 'object' } },
      }));
      const names = { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' };
      const spec = { group: 'attack.example.com', scope: 'Namespaced', names, versions };
      return post(DEFINITIONS, { metadata: { name: 'widgets.attack.example.com' }, spec });
    },
  },
  {
    title: 'as many invalid containers as fit, four times',
    request: () => post('pods', { metadata: { name: 'invalid' }, spec: { containers: asManyAsFit(() => ({})) } }),
    times: 4,
  },
  {
    title: 'as many invalid containers as are permitted, four times',
    request: () => post('pods', { metadata: { name: 'invalid' }, spec: { containers: many(15_000, () => ({})) } }),
    times: 4,
  },
  {
    title: 'as many invalid keys of a ConfigMap as are permitted, four times',
    request: () => {
      const data = Object.fromEntries(many(20_000, (i) => [`!${i}`, '']));
      return post('configmaps', { metadata: { name: 'invalid' }, data });
    },
    times: 4,
  },
  {
    title: 'as many invalid keys of a ConfigMap as fit, four times',
    request: () => {
      const data = Object.fromEntries(asManyAsFit((i) => [`!${i}`, '']));
      return post('configmaps', { metadata: { name: 'invalid' }, data });
    },
    times: 4,
  },
  {
    title: 'a set of as many equal finalizers as fit, four times',
    request: () => post('configmaps', { metadata: { name: 'set', finalizers: asManyAsFit(() => 'example.com/a') } }),
    times: 4,
  },
  {
    title: 'ConfigMaps of the size that is permitted, ten at once',
    request: () => {
      const body = configMap('large-', { text: 'x'.repeat((1 << 20) - 1000) });
      return post('configmaps', { ...body, metadata: { generateName: 'large-' } });
    },
    atOnce: 10,
  },
  {
    title: 'YAML of as many keys as fit',
    request: () => ({ ...apply('data:\n', (i) => `  k${i}: ""\n`), contentType: APPLY }),
  },
  {
    title: 'YAML of as many tiny lists as fit, in brackets',
    request: () => ({ ...apply('data: {a: [', () => '[],', ']}'), contentType: APPLY }),
  },
  {
    title: 'CBOR of as many empty maps as fit',
    request: () => {
      const body = Buffer.concat([Buffer.of(0x9f), Buffer.alloc(MAX_BODY - 1000, 0xa0), Buffer.of(0xff)]);
      return { method: 'POST', path: 'pods', body, contentType: 'application/cbor' };
    },
  },
  {
    title: 'as many containers as are permitted, applied by four at once',
    request: () => {
      const containers = many(14_000, (i) => ({ name: `c${i}`, image: 'example.com/a' }));
      const body = JSON.stringify({
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'applied' },
        spec: { containers },
      });
      return { method: 'PATCH', path: 'pods/applied?fieldManager=m', body, contentType: APPLY };
    },
    atOnce: 4,
  },
  {
    title: 'a ConfigMap of as many keys as are permitted, read as Protobuf by twenty at once',
    before: () => post('configmaps', configMap('read', manyKeys())),
    request: () => ({
      method: 'GET',
      path: 'configmaps/read',
      body: '',
      accept: 'application/vnd.kubernetes.protobuf',
    }),
    atOnce: 20,
  },
  {
    title: 'a ConfigMap of as many keys as are permitted, given a label by ten at once',
    before: () => post('configmaps', configMap('labelled', manyKeys())),
    request: () => {
      const body = '{"metadata":{"labels":{"a":"b"}}}';
      return { method: 'PATCH', path: 'configmaps/labelled', body, contentType: MERGE_PATCH };
    },
    atOnce: 10,
  },
  {
    title: 'all of these, listed as YAML by five at once',
    request: () => ({ method: 'GET', path: 'configmaps', body: '', accept: 'application/yaml' }),
    atOnce: 5,
  },
  {
    title: 'all of these, listed as Protobuf by five at once',
    request: () => ({ method: 'GET', path: 'configmaps', body: '', accept: 'application/vnd.kubernetes.protobuf' }),
    atOnce: 5,
  },
  {
    title: 'all of these, deleted',
    request: () => ({ method: 'DELETE', path: 'configmaps', body: '' }),
  },
];

function manyKeys(): Record<string, string> {
  return Object.fromEntries(many(19_900, (i) => [`k${i}`, '']));
}

/** An applied ConfigMap whose text goes on for as long as is permitted. */
function apply(begin: string, part: (i: number) => string, end = ''): Request {
  let body = `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: applied}\n${begin}`;
  for (let i = 0; body.length < MAX_BODY - 1000; i++) body += part(i);
  return { method: 'PATCH', path: 'configmaps/applied?fieldManager=m', body: body + end };
}
