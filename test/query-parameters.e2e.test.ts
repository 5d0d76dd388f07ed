import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Client, configMap, MAPS, type Reply } from './support/client.ts';
import type { RunningSystem } from './support/running-system.ts';
import { sharedSystem } from './support/shared-system.ts';

interface Parameter {
  readonly name: string;
  readonly good: readonly string[];
  readonly bad: readonly string[];
  /** the codes for a malformed value and for an invalid one */
  readonly code: 400 | 422;
}

const flag = (name: string, good = ['true', 'True', '1', '', 'false', '0']): Parameter => ({
  name,
  good,
  bad: ['yes', 'xyz', '2'],
  code: 400,
});
const integer = (name: string, good: readonly string[]): Parameter => ({
  name,
  good,
  bad: ['abc', '1.5', '1e3', '0x10', '', '9223372036854775808'],
  code: 400,
});
const text = (name: string, good: readonly string[], bad: readonly string[], code: 400 | 422 = 400): Parameter => ({
  name,
  good,
  bad,
  code,
});

const PRETTY = flag('pretty');
const DRY_RUN = text('dryRun', ['', 'All'], ['None', 'all'], 422);
const MANAGER = text('fieldManager', ['me'], ['x'.repeat(129), 'a\u0007b'], 422);
const VALIDATION = text('fieldValidation', ['Ignore', 'Warn', 'Strict', ''], ['strict', 'no'], 422);
const TIMEOUT = text('timeout', ['10s', '1m0s'], ['abc', '5']);
const VERSION = text('resourceVersion', ['', '0'], ['abc', '-1', '00', '01', '1.0', '18446744073709551616']);
const SELECTORS = [
  text('labelSelector', ['app=x', ''], ['a b', '=', 'x in']),
  text('fieldSelector', ['metadata.name=none', ''], ['zzz', 'spec.unknown=1']),
];
const COLLECTION = [
  PRETTY,
  TIMEOUT,
  VERSION,
  ...SELECTORS,
  flag('allowWatchBookmarks'),
  integer('limit', ['0', '1', '9223372036854775807', '-1']),
  integer('timeoutSeconds', ['1', '9']),
  text('continue', [''], ['junk', 'e30']),
  text('resourceVersionMatch', [''], ['Never'], 422),
];
const DELETION = [
  DRY_RUN,
  integer('gracePeriodSeconds', ['0', '5', '-1']),
  flag('orphanDependents'),
  flag('ignoreStoreReadErrorWithClusterBreakingPotential', ['false', '0']),
  text('propagationPolicy', ['Background', 'Foreground', 'Orphan'], ['Sideways'], 422),
];

/** Parameters without effect on a watch; its timeout is set in the request. */
const NOT_OF_WATCHES = new Set(['continue', 'timeout', 'timeoutSeconds']);

interface Verb {
  /** a request that succeeds without parameters */
  readonly send: SendRequest;
  /** the parameters that Kubernetes has for it */
  readonly parameters: readonly Parameter[];
  /** its requests change nothing and take long, so several run at a time */
  readonly isLong?: true;
}

const VERBS: Readonly<Record<string, Verb>> = {
  get: { send: (client, query) => client.get(`${MAPS}/kept${query}`), parameters: [PRETTY, TIMEOUT, VERSION] },
  list: {
    send: (client, query) => client.get(`${MAPS}${query}`),
    parameters: [...COLLECTION, flag('watch', ['false', '0']), flag('sendInitialEvents', [])],
  },
  watch: {
    // a watch sends its state and ends by its timeout
    send: (client, query) => client.get(`${MAPS}${query === '' ? '?' : `${query}&`}watch=1&timeoutSeconds=1`),
    parameters: [...COLLECTION.filter(({ name }) => !NOT_OF_WATCHES.has(name))],
    isLong: true,
  },
  create: {
    send: (client, query) =>
      client.request('POST', `${MAPS}${query}`, { body: { metadata: { generateName: 'made-' } } }),
    parameters: [PRETTY, TIMEOUT, DRY_RUN, MANAGER, VALIDATION],
  },
  update: {
    send: (client, query) => client.request('PUT', `${MAPS}/kept${query}`, { body: configMap('kept') }),
    parameters: [PRETTY, TIMEOUT, DRY_RUN, MANAGER, VALIDATION],
  },
  patch: {
    send: (client, query) =>
      client.request('PATCH', `${MAPS}/kept${query}`, {
        body: { data: { patched: 'yes' } },
        headers: { 'Content-Type': 'application/merge-patch+json' },
      }),
    parameters: [PRETTY, TIMEOUT, DRY_RUN, MANAGER, VALIDATION, flag('force', [])],
  },
  apply: {
    send: (client, query) =>
      client.request('PATCH', `${MAPS}/applied${query === '' ? '?' : `${query}&`}fieldManager=tests`, {
        body: { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'applied' } },
        headers: { 'Content-Type': 'application/apply-patch+yaml' },
      }),
    parameters: [PRETTY, TIMEOUT, DRY_RUN, VALIDATION, flag('force')],
  },
  delete: {
    send: async (client, query) => {
      await client.request('POST', MAPS, { body: configMap('goes') });
      return client.request('DELETE', `${MAPS}/goes${query}`);
    },
    parameters: [PRETTY, TIMEOUT, ...DELETION],
  },
  deletecollection: {
    send: async (client, query) => {
      await client.request('POST', MAPS, { body: configMap('goes') });
      return client.request('DELETE', `${MAPS}${query}`);
    },
    parameters: [...COLLECTION, ...DELETION],
  },
};

type SendRequest = (client: Client, query: string) => Promise<Reply>;

/** No parameter is ignored: it is applied or rejected. */
describe('Query parameters', () => {
  let system: RunningSystem;
  let client: Client;

  before(async () => {
    system = await sharedSystem();
    client = system.client;
  });
  after(() => system?.stop());

  for (const [verb, { send, parameters, isLong = false }] of Object.entries(VERBS)) {
    for (const { name, good, bad, code } of parameters) {
      test(`${verb} accepts valid values of ${name}, and answers ${code} to others without effect.`, async () => {
        const isTaken = async (value: string) => {
          await client.request('POST', MAPS, { body: configMap('kept') });
          const reply = await send(client, `?${name}=${encodeURIComponent(value)}`);
          assert.ok(reply.code < 300, `${name}=${value}: ${reply.code} ${reply.text.slice(0, 200)}`);
        };
        if (isLong) await Promise.all(good.map(isTaken));
        else for (const value of good) await isTaken(value);
        await client.request('POST', MAPS, { body: configMap('kept') });
        await client.request('POST', MAPS, { body: configMap('goes') });
        const before = await names();
        for (const value of bad) {
          const reply = await send(client, `?${name}=${encodeURIComponent(value)}`);
          assert.equal(reply.code, code, `${name}=${value}: ${reply.text.slice(0, 200)}`);
          assert.equal(reply.json.kind, 'Status');
        }
        assert.deepEqual(await names(), before);
      });
    }
  }

  const names = async () => {
    const { json } = await client.get(MAPS);
    return json.items.map(({ metadata }: { metadata: object }) => metadata);
  };
});

describe('Deletion of a collection', () => {
  let system: RunningSystem;
  let client: Client;
  const LABELLED = `${MAPS}?labelSelector=mine`;

  before(async () => {
    system = await sharedSystem();
    client = system.client;
  });
  after(() => system?.stop());

  const fill = async () => {
    for (const name of ['m1', 'm2', 'm3', 'm4', 'm5'])
      await client.request('POST', MAPS, { body: { metadata: { name, labels: { mine: '' } } } });
  };
  const remaining = async () => {
    const { json } = await client.get(LABELLED);
    return json.items.map((item: { metadata: { name: string } }) => item.metadata.name).join(' ');
  };
  const namesIn = ({ json }: Reply) =>
    json.items.map((item: { metadata: { name: string } }) => item.metadata.name).join(' ');

  test('A deletion with a limit deletes one page and returns a token for the next.', async () => {
    await fill();
    const all = `${MAPS}?fieldSelector=metadata.name!=kube-root-ca.crt`;
    const first = await client.request('DELETE', `${all}&limit=2`);
    assert.deepEqual([first.code, namesIn(first)], [200, 'm1 m2']);
    assert.equal(await remaining(), 'm3 m4 m5');
    const token = encodeURIComponent(first.json.metadata.continue);
    const second = await client.request('DELETE', `${all}&limit=2&continue=${token}`);
    assert.equal(namesIn(second), 'm3 m4');
    assert.equal(second.json.metadata.resourceVersion, first.json.metadata.resourceVersion);
    const last = await client.request(
      'DELETE',
      `${all}&limit=2&continue=${encodeURIComponent(second.json.metadata.continue)}`,
    );
    assert.deepEqual([namesIn(last), last.json.metadata.continue], ['m5', '']);
    assert.equal(await remaining(), '');
  });

  test('Without a selector, the answer has the number of remaining objects.', async () => {
    await fill();
    const { json } = await client.request('DELETE', `${MAPS}?limit=2&dryRun=All`);
    assert.equal(json.metadata.remainingItemCount, 3);
    assert.equal(await remaining(), 'm1 m2 m3 m4 m5');
  });

  test('A deletion at an exact version deletes the objects of that version.', async () => {
    await fill();
    const { json } = await client.get(LABELLED);
    await client.request('POST', MAPS, { body: { metadata: { name: 'm6', labels: { mine: '' } } } });
    const query = `resourceVersion=${json.metadata.resourceVersion}&resourceVersionMatch=Exact`;
    const reply = await client.request('DELETE', `${LABELLED}&${query}`);
    assert.deepEqual([reply.code, namesIn(reply)], [200, 'm1 m2 m3 m4 m5']);
    assert.equal(await remaining(), 'm6');
    await client.request('DELETE', `${MAPS}/m6`);
  });

  test('A deletion at a future version deletes nothing.', async () => {
    await fill();
    const reply = await client.request('DELETE', `${LABELLED}&resourceVersion=9999999`);
    assert.equal(reply.code, 504);
    assert.equal(await remaining(), 'm1 m2 m3 m4 m5');
  });

  test('List options are read from the query even if the body has delete options.', async () => {
    await fill();
    const reply = await client.request('DELETE', `${LABELLED}&limit=2`, { body: { gracePeriodSeconds: 0 } });
    assert.equal(namesIn(reply), 'm1 m2');
    assert.equal(await remaining(), 'm3 m4 m5');
  });

  test('The first failure is returned after all started deletions have ended.', async () => {
    await fill();
    const uid = '00000000-0000-0000-0000-000000000000';
    const reply = await client.request('DELETE', LABELLED, { body: { preconditions: { uid } } });
    assert.equal(reply.code, 409);
    assert.equal(await remaining(), 'm1 m2 m3 m4 m5');
  });
});
