import { configMap } from '../../support/client.ts';

interface Request {
  readonly method: string;
  /** below the attacker's namespace, unless it begins with a slash */
  readonly path: string;
  readonly body: string | Buffer;
  readonly accept?: string;
  readonly contentType?: string;
}

/** Requests with which a user with ordinary permissions tries to slow down the server for others. */
export interface Attack {
  readonly title: string;
  /** creates objects first; not part of the measurement */
  readonly before?: () => Request;
  readonly request: () => Request;
  /** how often the request is sent, one after another */
  readonly times?: number;
  /** how many requests are sent at once, each time */
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

/** As many items as fit into a body of the largest permitted size. */
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
    title: 'a role with a path of 1.5 million stars',
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
    title: 'the largest permitted number of topology spread constraints',
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
    title: 'the largest permitted number of invalid containers, four times',
    request: () => post('pods', { metadata: { name: 'invalid' }, spec: { containers: many(15_000, () => ({})) } }),
    times: 4,
  },
  {
    title: 'the largest permitted number of invalid ConfigMap keys, four times',
    request: () => {
      const data = Object.fromEntries(many(20_000, (i) => [`!${i}`, '']));
      return post('configmaps', { metadata: { name: 'invalid' }, data });
    },
    times: 4,
  },
  {
    title: 'as many invalid ConfigMap keys as fit, four times',
    request: () => {
      const data = Object.fromEntries(asManyAsFit((i) => [`!${i}`, '']));
      return post('configmaps', { metadata: { name: 'invalid' }, data });
    },
    times: 4,
  },
  {
    title: 'as many duplicate finalizers as fit, four times',
    request: () => post('configmaps', { metadata: { name: 'set', finalizers: asManyAsFit(() => 'example.com/a') } }),
    times: 4,
  },
  {
    title: 'ConfigMaps of the largest permitted size, ten at once',
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
    title: 'the largest permitted number of containers, applied by four requests at once',
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
    title: 'a ConfigMap with the largest permitted number of keys, read as Protobuf by twenty requests at once',
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
    title: 'a ConfigMap with the largest permitted number of keys, labelled by ten requests at once',
    before: () => post('configmaps', configMap('labelled', manyKeys())),
    request: () => {
      const body = '{"metadata":{"labels":{"a":"b"}}}';
      return { method: 'PATCH', path: 'configmaps/labelled', body, contentType: MERGE_PATCH };
    },
    atOnce: 10,
  },
  {
    title: 'all ConfigMaps of the attacks, listed as YAML by five requests at once',
    request: () => ({ method: 'GET', path: 'configmaps', body: '', accept: 'application/yaml' }),
    atOnce: 5,
  },
  {
    title: 'all ConfigMaps of the attacks, listed as Protobuf by five requests at once',
    request: () => ({ method: 'GET', path: 'configmaps', body: '', accept: 'application/vnd.kubernetes.protobuf' }),
    atOnce: 5,
  },
  {
    title: 'a deletion of all ConfigMaps of the attacks',
    request: () => ({ method: 'DELETE', path: 'configmaps', body: '' }),
  },
];

function manyKeys(): Record<string, string> {
  return Object.fromEntries(many(19_900, (i) => [`k${i}`, '']));
}

/** An apply of a ConfigMap whose text has the largest permitted size. */
function apply(begin: string, part: (i: number) => string, end = ''): Request {
  let body = `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: applied}\n${begin}`;
  for (let i = 0; body.length < MAX_BODY - 1000; i++) body += part(i);
  return { method: 'PATCH', path: 'configmaps/applied?fieldManager=m', body: body + end };
}
