import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { encodeCbor, inEnvelope } from '@tidegate/schema';
import { until } from '@tidegate/testkit';
import type { Client, Reply } from './support/client.ts';
import { type ListedOperation, listedInV2, listedInV3 } from './support/open-api-operations.ts';
import { CBOR, type RunningSystem } from './support/running-system.ts';
import { sharedSystem } from './support/shared-system.ts';

/** A well-formed body for every media type of the Kubernetes API, and for some types that no server accepts. */
const BODIES: Readonly<Record<string, Buffer>> = {
  'application/json': Buffer.from('{}'),
  'application/yaml': Buffer.from('a: b\n'),
  'application/cbor': encodeCbor({}),
  'application/vnd.cluster.protobuf': inEnvelope({ apiVersion: 'v1', kind: 'None' }, Buffer.alloc(0)),
  'application/vnd.kubernetes.protobuf': inEnvelope({ apiVersion: 'v1', kind: 'None' }, Buffer.alloc(0)),
  'application/json-patch+json': Buffer.from('[]'),
  'application/merge-patch+json': Buffer.from('{}'),
  'application/strategic-merge-patch+json': Buffer.from('{}'),
  'application/apply-patch+yaml': Buffer.from('a: b\n'),
  'application/apply-patch+cbor': encodeCbor({}),
  'application/cbor-seq': encodeCbor({}),
  'application/xml': Buffer.from('<a/>'),
  'text/plain': Buffer.from('{}'),
};

const GROUP = 'media.example.com';
const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `tapes.${GROUP}` },
  spec: {
    group: GROUP,
    scope: 'Namespaced',
    names: { plural: 'tapes', kind: 'Tape' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        subresources: {
          status: {},
          scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
        },
      },
    ],
  },
};

/** High, because many of the requests are watches of one second. */
const AT_ONCE = 48;

/** Runs a check for many operations concurrently and collects the failures. */
async function findings<T>(all: readonly T[], check: (one: T) => Promise<string | undefined>): Promise<string[]> {
  const found: string[] = [];
  const queue = all.values();
  const work = async () => {
    for (const one of queue) {
      const finding = await check(one);
      if (finding !== undefined) found.push(finding);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return found;
}

/** The first of the operations with equal descriptions, for built-in and for custom kinds. */
function oneOfEach(operations: readonly ListedOperation[]): ListedOperation[] {
  const forms = new Map<string, ListedOperation>();
  for (const operation of operations) {
    const { path, method, takes, answers } = operation;
    const form = JSON.stringify([path.includes(GROUP), path.split('/{name}')[1], method, takes, answers]);
    if (!forms.has(form)) forms.set(form, operation);
  }
  return [...forms.values()];
}

// all operations are tested with the default gate, and one of each description with the gate on
for (const [gate, open, chosen, atLeast] of [
  ['false', () => sharedSystem(), (all: ListedOperation[]) => all, 300],
  ['true', () => sharedSystem(CBOR), oneOfEach, 20],
] as const) {
  describe(`Published media types with CBORServingAndStorage=${gate}`, () => {
    let system: RunningSystem;
    let client: Client;
    let listed: ListedOperation[];
    before(async () => {
      system = await open();
      ({ client } = system);
      await client.request('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', { body: definition });
      const served = async () => (await client.get(`/openapi/v3/apis/${GROUP}/v1`)).code === 200;
      await until('the custom kind to be served', served);
      listed = await listedInV3(client);
    });
    after(() => system.stop());

    /** A request for an object that does not exist, without an effect. */
    const send = (
      { path, method }: ListedOperation,
      headers: Record<string, string>,
      body?: Buffer,
    ): Promise<Reply> => {
      const place = path.replace('{namespace}', 'default').replace('{name}', 'nothing').replace('{path}', 'deep');
      const watched = /stream=watch|cbor-seq/.test(headers.Accept ?? '') ? '&watch=1&timeoutSeconds=1' : '';
      const harmless = method === 'get' ? watched : '&dryRun=All&fieldManager=test';
      return client.request(method.toUpperCase(), `${place}?pretty=false${harmless}`, {
        headers,
        ...(body === undefined ? {} : { body }),
      });
    };

    test('Media types are published for every kind, built in and custom.', () => {
      for (const path of [
        '/api/v1/namespaces/{namespace}/pods/{name}',
        '/api/v1/namespaces/{namespace}/pods/{name}/eviction',
        '/apis/apps/v1/namespaces/{namespace}/deployments/{name}/scale',
        `/apis/${GROUP}/v1/namespaces/{namespace}/tapes/{name}`,
        `/apis/${GROUP}/v1/namespaces/{namespace}/tapes/{name}/scale`,
      ]) {
        assert.ok(
          listed.some((one) => one.path === path && one.takes !== undefined),
          path,
        );
      }
    });

    test('Bodies are accepted in the published media types and rejected in others.', async () => {
      const withBody = chosen(listed.filter(({ takes }) => takes !== undefined));
      assert.ok(withBody.length > atLeast, `${withBody.length}`);
      const first = new Set(oneOfEach(withBody));
      let turn = 0;
      const types = Object.keys(BODIES);
      const inTurn = () => types[turn++ % types.length] as string;
      const found = await findings(withBody, async (operation) => {
        const { path, method, takes = [] } = operation;
        // the first operation of each description is tested with all types, the others with the listed and three more
        const tested = first.has(operation) ? types : new Set([...takes, inTurn(), inTurn(), inTurn()]);
        const unknown = takes.filter((type) => BODIES[type] === undefined);
        const wrong = unknown.map((type) => `${type} is listed`);
        for (const type of tested) {
          if (unknown.includes(type)) continue;
          const { code } = await send(operation, { 'Content-Type': type }, BODIES[type]);
          if ((code === 415) === takes.includes(type)) {
            wrong.push(`${type} is ${takes.includes(type) ? '' : 'not '}listed, and answered with ${code}`);
          }
        }
        return wrong.length === 0 ? undefined : `${method} ${path}: ${wrong.join('; ')}`;
      });
      assert.deepEqual(found, []);
    });

    test('Answers are available in the published media types, and their codes and types are published.', async () => {
      const found = await findings(chosen(listed), async (operation) => {
        const { path, method, takes, answers } = operation;
        const body = takes === undefined ? undefined : Buffer.from('{}');
        const wrong: string[] = [];
        for (const type of new Set(Object.values(answers).flat())) {
          // also for unusual codes
          const accept = type === '*/*' ? 'text/css' : type;
          const headers = { Accept: accept, ...(takes?.[0] === undefined ? {} : { 'Content-Type': takes[0] }) };
          const reply = await send(operation, headers, body);
          const contentType = String(reply.headers['content-type'] ?? '');
          if (reply.code === 406) wrong.push(`Accept: ${accept} is answered with 406`);
          const isDone = reply.code >= 200 && reply.code < 300 && method !== 'head';
          if (isDone && !answers[reply.code]?.includes(contentType))
            wrong.push(`${reply.code} with ${contentType} is not listed`);
        }
        if (wrong.length === 0 && Object.keys(answers).length > 0) return undefined;
        return `${method} ${path}: ${wrong.join('; ')}`;
      });
      assert.deepEqual(found, []);
    });

    test('OpenAPI v2 has the same media types.', async () => {
      const first = (all: readonly ListedOperation[]) =>
        all
          .map(({ path, method, takes, query, answers }) => ({
            what: `${method} ${path}`,
            takes: takes?.toSorted(),
            codes: Object.keys(answers),
            answers: Object.values(answers)[0]?.toSorted(),
            query,
          }))
          .sort((a, b) => (a.what < b.what ? -1 : 1));
      assert.deepEqual(first(await listedInV2(client)), first(listed));
    });
  });
}
