import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Client, configMap, MAPS, type Reply } from './support/client.ts';
import type { RunningSystem } from './support/running-system.ts';
import { sharedSystem } from './support/shared-system.ts';

interface Parameter {
  readonly name: string;
  readonly good: readonly string[];
  readonly bad: readonly string[];
  /** what a bad value is answered with: a misspelled one, or one that is spelled well and means nothing */
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

/** A watch has no pages, its time is one of those that it is asked with here, and no other holds for it. */
const NOT_OF_WATCHES = new Set(['continue', 'timeout', 'timeoutSeconds']);

interface Verb {
  /** a request, which succeeds as it stands */
  readonly ask: Ask;
  /** those that Kubernetes knows for it */
  readonly parameters: readonly Parameter[];
  /** its requests change nothing and last a while: several are made at a time */
  readonly isLong?: true;
}

const VERBS: Readonly<Record<string, Verb>> = {
  get: { ask: (client, query) => client.get(`${MAPS}/kept${query}`), parameters: [PRETTY, TIMEOUT, VERSION] },
  list: {
    ask: (client, query) => client.get(`${MAPS}${query}`),
    parameters: [...COLLECTION, flag('watch', ['false', '0']), flag('sendInitialEvents', [])],
  },
  watch: {
    // what a watch sends first is its state; its end is that of its time
    ask: (client, query) => client.get(`${MAPS}${query === '' ? '?' : `${query}&`}watch=1&timeoutSeconds=1`),
    parameters: [...COLLECTION.filter(({ name }) => !NOT_OF_WATCHES.has(name))],
    isLong: true,
  },
  create: {
    ask: (client, query) => client.ask('POST', `${MAPS}${query}`, { body: { metadata: { generateName: 'made-' } } }),
    parameters: [PRETTY, TIMEOUT, DRY_RUN, MANAGER, VALIDATION],
  },
  update: {
    ask: (client, query) => client.ask('PUT', `${MAPS}/kept${query}`, { body: configMap('kept') }),
    parameters: [PRETTY, TIMEOUT, DRY_RUN, MANAGER, VALIDATION],
  },
  patch: {
    ask: (client, query) =>
      client.ask('PATCH', `${MAPS}/kept${query}`, {
        body: { data: { patched: 'yes' } },
        headers: { 'Content-Type': 'application/merge-patch+json' },
      }),
    parameters: [PRETTY, TIMEOUT, DRY_RUN, MANAGER, VALIDATION, flag('force', [])],
  },
  apply: {
    ask: (client, query) =>
      client.ask('PATCH', `${MAPS}/applied${query === '' ? '?' : `${query}&`}fieldManager=tests`, {
        body: { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'applied' } },
        headers: { 'Content-Type': 'application/apply-patch+yaml' },
      }),
    parameters: [PRETTY, TIMEOUT, DRY_RUN, VALIDATION, flag('force')],
  },
  delete: {
    ask: async (client, query) => {
      await client.ask('POST', MAPS, { body: configMap('goes') });
      return client.ask('DELETE', `${MAPS}/goes${query}`);
    },
    parameters: [PRETTY, TIMEOUT, ...DELETION],
  },
  deletecollection: {
    ask: async (client, query) => {
      await client.ask('POST', MAPS, { body: configMap('goes') });
      return client.ask('DELETE', `${MAPS}${query}`);
    },
    parameters: [...COLLECTION, ...DELETION],
  },
};

type Ask = (client: Client, query: string) => Promise<Reply>;

/** Nothing that a client types as a parameter is overlooked: it is honoured, or judged. */
describe('Query parameters', () => {
  let system: RunningSystem;
  let client: Client;

  before(async () => {
    system = await sharedSystem();
    client = system.client;
  });
  after(() => system?.stop());

  for (const [verb, { ask, parameters, isLong = false }] of Object.entries(VERBS)) {
    for (const { name, good, bad, code } of parameters) {
      test(`${verb}: ${name} takes what it means, and answers ${code} to anything else without doing it`, async () => {
        const isTaken = async (value: string) => {
          await client.ask('POST', MAPS, { body: configMap('kept') });
          const reply = await ask(client, `?${name}=${encodeURIComponent(value)}`);
          assert.ok(reply.code < 300, `${name}=${value}: ${reply.code} ${reply.text.slice(0, 200)}`);
        };
        if (isLong) await Promise.all(good.map(isTaken));
        else for (const value of good) await isTaken(value);
        await client.ask('POST', MAPS, { body: configMap('kept') });
        await client.ask('POST', MAPS, { body: configMap('goes') });
        const before = await names();
        for (const value of bad) {
          const reply = await ask(client, `?${name}=${encodeURIComponent(value)}`);
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

describe('A delete of a collection', () => {
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
      await client.ask('POST', MAPS, { body: { metadata: { name, labels: { mine: '' } } } });
  };
  const left = async () => {
    const { json } = await client.get(LABELLED);
    return json.items.map((item: { metadata: { name: string } }) => item.metadata.name).join(' ');
  };
  const namesIn = ({ json }: Reply) =>
    json.items.map((item: { metadata: { name: string } }) => item.metadata.name).join(' ');

  test('with a limit deletes one page, and says where the next begins', async () => {
    await fill();
    const all = `${MAPS}?fieldSelector=metadata.name!=kube-root-ca.crt`;
    const first = await client.ask('DELETE', `${all}&limit=2`);
    assert.deepEqual([first.code, namesIn(first)], [200, 'm1 m2']);
    assert.equal(await left(), 'm3 m4 m5');
    const token = encodeURIComponent(first.json.metadata.continue);
    const second = await client.ask('DELETE', `${all}&limit=2&continue=${token}`);
    assert.equal(namesIn(second), 'm3 m4');
    assert.equal(second.json.metadata.resourceVersion, first.json.metadata.resourceVersion);
    const last = await client.ask(
      'DELETE',
      `${all}&limit=2&continue=${encodeURIComponent(second.json.metadata.continue)}`,
    );
    assert.deepEqual([namesIn(last), last.json.metadata.continue], ['m5', '']);
    assert.equal(await left(), '');
  });

  test('tells how many remain where nothing is selected', async () => {
    await fill();
    const { json } = await client.ask('DELETE', `${MAPS}?limit=2&dryRun=All`);
    assert.equal(json.metadata.remainingItemCount, 3);
    assert.equal(await left(), 'm1 m2 m3 m4 m5');
  });

  test('at an exact version deletes what was there then', async () => {
    await fill();
    const { json } = await client.get(LABELLED);
    await client.ask('POST', MAPS, { body: { metadata: { name: 'm6', labels: { mine: '' } } } });
    const query = `resourceVersion=${json.metadata.resourceVersion}&resourceVersionMatch=Exact`;
    const reply = await client.ask('DELETE', `${LABELLED}&${query}`);
    assert.deepEqual([reply.code, namesIn(reply)], [200, 'm1 m2 m3 m4 m5']);
    assert.equal(await left(), 'm6');
    await client.ask('DELETE', `${MAPS}/m6`);
  });

  test('of a version of the future deletes nothing', async () => {
    await fill();
    const reply = await client.ask('DELETE', `${LABELLED}&resourceVersion=9999999`);
    assert.equal(reply.code, 504);
    assert.equal(await left(), 'm1 m2 m3 m4 m5');
  });

  test('with options in the body still takes those of a list from the query', async () => {
    await fill();
    const reply = await client.ask('DELETE', `${LABELLED}&limit=2`, { body: { gracePeriodSeconds: 0 } });
    assert.equal(namesIn(reply), 'm1 m2');
    assert.equal(await left(), 'm3 m4 m5');
  });

  test('answers with the first failure when nothing is under way any more', async () => {
    await fill();
    const uid = '00000000-0000-0000-0000-000000000000';
    const reply = await client.ask('DELETE', LABELLED, { body: { preconditions: { uid } } });
    assert.equal(reply.code, 409);
    assert.equal(await left(), 'm1 m2 m3 m4 m5');
  });
});
