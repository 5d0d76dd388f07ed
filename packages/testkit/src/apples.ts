import type { ServerResponse } from 'node:http';

export interface Apple {
  readonly metadata: { name: string; namespace: string; resourceVersion: string };
  readonly [field: string]: unknown;
}

export const APPLES_GROUP = 'fruit.example.com';
export const APPLES_VERSION = 'v1';
const API_VERSION = `${APPLES_GROUP}/${APPLES_VERSION}`;

/** The objects and watchers of the only resource of the aggregated test server. */
export class Apples {
  readonly #objects = new Map<string, Apple>();
  readonly #watchers = new Set<{ namespace: string; response: ServerResponse }>();
  #revision = 1;

  list(namespace: string): object {
    const items = [...this.#objects.values()].filter((one) => one.metadata.namespace === namespace);
    const metadata = { resourceVersion: String(this.#revision) };
    return { kind: 'AppleList', apiVersion: API_VERSION, metadata, items };
  }

  get(namespace: string, name: string): Apple | undefined {
    return this.#objects.get(`${namespace}/${name}`);
  }

  create(namespace: string, object: { metadata: { name: string } }): Apple {
    const metadata = { ...object.metadata, namespace, resourceVersion: String(++this.#revision) };
    const made = { ...object, kind: 'Apple', apiVersion: API_VERSION, metadata };
    this.#objects.set(`${namespace}/${metadata.name}`, made);
    this.#notify('ADDED', made);
    return made;
  }

  /** Deletes one object, or with an empty name all of the namespace. */
  delete(namespace: string, name: string): void {
    for (const [key, one] of this.#objects) {
      if (one.metadata.namespace !== namespace || (name !== '' && one.metadata.name !== name)) continue;
      this.#objects.delete(key);
      this.#notify('DELETED', one);
    }
  }

  watch(namespace: string, response: ServerResponse): void {
    const watcher = { namespace, response };
    this.#watchers.add(watcher);
    response.on('close', () => this.#watchers.delete(watcher));
    response.writeHead(200, { 'Content-Type': 'application/json' }).flushHeaders();
  }

  /** the number of watchers */
  get watchers(): number {
    return this.#watchers.size;
  }

  #notify(type: string, object: Apple): void {
    for (const { namespace, response } of this.#watchers) {
      if (namespace === object.metadata.namespace) response.write(`${JSON.stringify({ type, object })}\n`);
    }
  }
}

const KIND = { group: APPLES_GROUP, kind: 'Apple', version: APPLES_VERSION };
const verbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'watch'];

/** The discovery and OpenAPI documents, by path. */
export const applesDiscovery: Readonly<Record<string, object>> = {
  [`/apis/${APPLES_GROUP}`]: {
    kind: 'APIGroup',
    apiVersion: 'v1',
    name: APPLES_GROUP,
    versions: [{ groupVersion: API_VERSION, version: APPLES_VERSION }],
    preferredVersion: { groupVersion: API_VERSION, version: APPLES_VERSION },
  },
  [`/apis/${API_VERSION}`]: {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: API_VERSION,
    resources: [
      { name: 'apples', singularName: 'apple', shortNames: ['ap'], namespaced: true, kind: 'Apple', verbs },
      { name: 'apples/peel', singularName: '', namespaced: true, kind: 'Apple', verbs: ['get'] },
    ],
  },
  '/openapi/v3': {
    paths: { [`apis/${API_VERSION}`]: { serverRelativeURL: `/openapi/v3/apis/${API_VERSION}?hash=ABC` } },
  },
  [`/openapi/v3/apis/${API_VERSION}`]: {
    openapi: '3.0.0',
    info: { title: 'Apples', version: '1' },
    paths: {
      [`/apis/${API_VERSION}/namespaces/{namespace}/apples/{name}`]: {
        get: {
          responses: { 200: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Apple' } } } } },
          'x-kubernetes-action': 'get',
          'x-kubernetes-group-version-kind': KIND,
        },
      },
    },
    components: {
      schemas: {
        Apple: {
          type: 'object',
          properties: { colour: { type: 'string' } },
          'x-kubernetes-group-version-kind': [KIND],
        },
      },
    },
  },
};

export const applesAggregated = {
  kind: 'APIGroupDiscoveryList',
  apiVersion: 'apidiscovery.k8s.io/v2',
  metadata: {},
  items: [
    {
      metadata: { name: APPLES_GROUP, creationTimestamp: null },
      versions: [
        {
          version: APPLES_VERSION,
          resources: [
            {
              resource: 'apples',
              responseKind: { group: APPLES_GROUP, version: APPLES_VERSION, kind: 'Apple' },
              scope: 'Namespaced',
              singularResource: 'apple',
              verbs,
              shortNames: ['ap'],
            },
          ],
          freshness: 'Current',
        },
      ],
    },
  ],
};
