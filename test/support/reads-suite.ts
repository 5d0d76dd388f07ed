import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Client, configMap, type Reply, type Watch, type WatchEvent } from './client.ts';
import {
  INVALID_OPTIONS,
  INVALID_TOKENS,
  MALFORMED_VERSIONS,
  token,
  V,
  WITH_WATCH_LIST,
  WITHOUT_WATCH_LIST,
} from './invalid-options.ts';
import { type RunningSystem, runningSystem } from './running-system.ts';

const MAPS = '/api/v1/namespaces/reads/configmaps';
const OLD_NAMES = ['a', 'b', 'c', 'd', 'e'];
const NEW_NAMES = ['a', 'c', 'd', 'e', 'f'];

interface Named {
  metadata: { name: string; resourceVersion: string };
}
const namesOf = (reply: Reply): string[] => reply.json.items.map((item: Named) => item.metadata.name);
const versionOf = (reply: Reply): number => Number(reply.json.metadata.resourceVersion);

/** Creates one state, and three changes later another: a is replaced, b deleted, f created. */
async function prepare(client: Client): Promise<{ old: number; token: string; last: number }> {
  const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'reads' } };
  assert.equal((await client.request('POST', '/api/v1/namespaces', { body })).code, 201);
  for (const name of OLD_NAMES) await client.request('POST', MAPS, { body: configMap(name, { is: 'old' }) });
  const page = await client.get(`${MAPS}?limit=2`);
  await client.request('PUT', `${MAPS}/a`, { body: configMap('a', { is: 'new' }) });
  await client.request('DELETE', `${MAPS}/b`);
  const made = await client.request('POST', MAPS, { body: configMap('f', { is: 'new' }) });
  return { old: versionOf(page), token: page.json.metadata.continue, last: versionOf(made) };
}

type Meaning = 'most recent' | 'any' | 'not older than' | 'exact' | 'continuation' | 400 | 422;
type Row = readonly [match: string, paging: '' | 'limit' | 'token', unset: Meaning, zero: Meaning, other: Meaning];

/** The meaning of each combination of options of a list, for resourceVersion unset, "0" and another. */
const LISTS: readonly Row[] = [
  ['', '', 'most recent', 'any', 'not older than'],
  ['', 'limit', 'most recent', 'any', 'exact'],
  ['', 'token', 'continuation', 'continuation', 400],
  ['Exact', '', 422, 422, 'exact'],
  ['Exact', 'limit', 422, 422, 'exact'],
  ['NotOlderThan', '', 422, 'any', 'not older than'],
  ['NotOlderThan', 'limit', 422, 'any', 'not older than'],
];

interface Gates {
  readonly snapshots: boolean;
  readonly watchList: boolean;
}

/** Tests the semantics of reads for every combination of resourceVersion, resourceVersionMatch and paging. */
export function readsSuite({ snapshots, watchList }: Gates): void {
  describe(`Reads with ListFromCacheSnapshot=${snapshots} and WatchList=${watchList}`, () => {
    let system: RunningSystem;
    let client: Client;
    let old: number;
    let last: number;
    let next: string;

    before(async () => {
      const gates = `--feature-gates=ListFromCacheSnapshot=${snapshots},WatchList=${watchList}`;
      system = await runningSystem({ args: ['--no-nats', gates] });
      ({ client } = system);
      ({ old, token: next, last } = await prepare(client));
    });
    after(() => system.stop());

    /** Makes a new revision, so that the most recent state differs from cached ones. */
    const touch = async () =>
      versionOf(await client.request('PUT', `${MAPS}/c`, { body: configMap('c', { at: `${Math.random()}` }) }));

    const CHECKS: Readonly<Record<Meaning, (query: string, limit: number) => Promise<void>>> = {
      'most recent': async (query, limit) => {
        const written = await touch();
        const reply = await client.get(`${MAPS}?${query}`);
        assert.ok(versionOf(reply) >= written);
        assert.deepEqual(namesOf(reply), NEW_NAMES.slice(0, limit));
        assert.equal(reply.json.metadata.remainingItemCount, limit < 5 ? 5 - limit : undefined);
      },
      any: async (query, limit) => {
        const reply = await client.get(`${MAPS}?${query}`);
        assert.equal(reply.code, 200);
        assert.equal(namesOf(reply).length, Math.min(limit, 5));
      },
      'not older than': async (query, limit) => {
        const reply = await client.get(`${MAPS}?${query}`);
        assert.ok(versionOf(reply) >= old);
        assert.equal(namesOf(reply).length, Math.min(limit, 5));
        const latest = await touch();
        const newer = await client.get(
          `${MAPS}?${query.replace(`resourceVersion=${old}`, `resourceVersion=${latest}`)}`,
        );
        assert.ok(versionOf(newer) >= latest);
      },
      exact: async (query, limit) => {
        const reply = await client.get(`${MAPS}?${query}`);
        assert.equal(versionOf(reply), old);
        assert.deepEqual(namesOf(reply), OLD_NAMES.slice(0, limit));
        assert.equal(reply.json.metadata.remainingItemCount, limit < 5 ? 5 - limit : undefined);
        assert.ok(reply.json.items.every((item: { data: { is: string } }) => item.data.is === 'old'));
      },
      continuation: async (query) => {
        const reply = await client.get(`${MAPS}?${query}`);
        assert.equal(versionOf(reply), old);
        assert.deepEqual(namesOf(reply), ['c', 'd']);
        assert.equal(reply.json.metadata.remainingItemCount, 1);
        const end = await client.get(`${MAPS}?limit=2&continue=${reply.json.metadata.continue}`);
        assert.equal(versionOf(end), old);
        assert.deepEqual(namesOf(end), ['e']);
        assert.equal(end.json.metadata.continue, '');
        assert.equal(end.json.metadata.remainingItemCount, undefined);
      },
      400: async (query) => {
        const reply = await client.get(`${MAPS}?${query}`);
        assert.equal(reply.code, 400);
        assert.equal(reply.json.message, 'specifying resource version is not allowed when using continue');
      },
      422: async (query) => {
        const reply = await client.get(`${MAPS}?${query}`);
        assert.equal(reply.code, 422);
        assert.equal(reply.json.reason, 'Invalid');
      },
    };

    for (const [match, paging, ...meanings] of LISTS) {
      for (const [i, meaning] of meanings.entries()) {
        const version = ['unset', '"0"', 'another version'][i];
        const title = `match ${match || 'unset'}, ${paging === 'token' ? 'limit and continue' : paging || 'no limit'}, ${version}`;
        test(`A list with ${title} is ${typeof meaning === 'number' ? 'invalid' : meaning}.`, async () => {
          const query = [
            ...(match === '' ? [] : [`resourceVersionMatch=${match}`]),
            ...(paging === '' ? [] : ['limit=2']),
            ...(paging === 'token' ? [`continue=${next}`] : []),
            ...(i === 0 ? [] : [`resourceVersion=${i === 1 ? 0 : old}`]),
          ];
          await CHECKS[meaning](query.join('&'), paging === '' ? 9 : 2);
        });
      }
    }

    test('A get returns the most recent state without a version, any state with "0", and a state not older than another version.', async () => {
      const written = await touch();
      assert.equal(versionOf(await client.get(`${MAPS}/c`)), written);
      assert.equal(versionOf(await client.get(`${MAPS}/c?resourceVersion=`)), written);
      assert.equal((await client.get(`${MAPS}/c?resourceVersion=0`)).json.metadata.name, 'c');
      assert.equal(versionOf(await client.get(`${MAPS}/c?resourceVersion=${written}`)), written);
      assert.equal((await client.get(`${MAPS}/c?resourceVersion=${old}`)).code, 200);
      assert.equal((await client.get(`${MAPS}/b?resourceVersion=${last}`)).code, 404);
    });

    const take = async (watch: Watch, count: number): Promise<WatchEvent[]> => {
      assert.equal(watch.code, 200);
      const events: WatchEvent[] = [];
      while (events.length < count) events.push(await watch.next());
      watch.close();
      return events;
    };
    const linesOf = (events: WatchEvent[]) =>
      events.map(({ type, object }) => `${type} ${object.metadata.name ?? ''}`.trim());

    for (const [title, query] of [
      ['without a version sends the state and starts at the most recent version.', ''],
      ['with version "0" sends the state and starts at any version.', '&resourceVersion=0'],
    ] as const) {
      test(`A watch ${title}`, async () => {
        // "any state" may be older than the test; this list updates the mirror
        await client.get(MAPS);
        const watch = await client.watch(`${MAPS}?watch=1${query}`);
        const state = NEW_NAMES.map((name) => `ADDED ${name}`);
        const written = await touch();
        const events = await take(watch, 6);
        assert.deepEqual(linesOf(events), [...state, 'MODIFIED c']);
        assert.equal(Number(events[5]?.object.metadata.resourceVersion), written);
      });

      test(`A watch with ${query || 'no version'} and bookmarks ${watchList ? 'sends' : 'does not send'} a bookmark after its state.`, async () => {
        const watch = await client.watch(`${MAPS}?watch=1&allowWatchBookmarks=true${query}`);
        await touch();
        const [, , , , , sixth] = await take(watch, 6);
        assert.equal(sixth?.type, watchList ? 'BOOKMARK' : 'MODIFIED');
      });
    }

    test('A watch with another version starts at exactly that version.', async () => {
      const watch = await client.watch(`${MAPS}?watch=1&resourceVersion=${old}`);
      assert.deepEqual(linesOf(await take(watch, 3)), ['MODIFIED a', 'DELETED b', 'ADDED f']);
    });

    test('A watch of one object sends events of that object only.', async () => {
      const watch = await client.watch(`${MAPS}/b?watch=1&resourceVersion=${old}`);
      assert.deepEqual(linesOf(await take(watch, 1)), ['DELETED b']);
    });

    test('A watch at a future version sends nothing until that version, and then continues from there.', async () => {
      const now = await touch();
      const watch = await client.watch(`${MAPS}?watch=1&resourceVersion=${now + 2}`);
      const written = [await touch(), await touch(), await touch()];
      const [event] = await take(watch, 1);
      assert.equal(Number(event?.object.metadata.resourceVersion), written[2]);
    });

    if (watchList) {
      for (const [version, query] of [
        ['no version', ''],
        ['"0"', '&resourceVersion=0'],
        ['another version', '&resourceVersion=OLD'],
      ] as const) {
        test(`A streaming list with ${version} sends the state, the marked bookmark and later changes.`, async () => {
          const written = await touch();
          const initial = 'watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
          const watch = await client.watch(`${MAPS}?${initial}${query.replace('OLD', String(old))}`);
          await touch();
          const events = await take(watch, 7);
          assert.deepEqual(linesOf(events), [...NEW_NAMES.map((name) => `ADDED ${name}`), 'BOOKMARK', 'MODIFIED c']);
          const { metadata } = events[5]?.object ?? {};
          assert.deepEqual(metadata.annotations, { 'k8s.io/initial-events-end': 'true' });
          assert.ok(Number(metadata.resourceVersion) >= (query === '' ? written : old));
        });
      }

      test('A streaming list with sendInitialEvents=false is a watch.', async () => {
        const initial = 'sendInitialEvents=false&resourceVersionMatch=NotOlderThan';
        const watch = await client.watch(`${MAPS}?watch=1&${initial}&resourceVersion=${old}`);
        assert.deepEqual(linesOf(await take(watch, 3)), ['MODIFIED a', 'DELETED b', 'ADDED f']);
      });
    }

    for (const [query, message] of [...INVALID_OPTIONS, ...(watchList ? WITH_WATCH_LIST : WITHOUT_WATCH_LIST)]) {
      test(`?${query} is rejected with the message of kube-apiserver.`, async () => {
        const { code, json } = await client.get(`${MAPS}?${query}`);
        assert.equal(code, 422);
        assert.equal(json.message, message);
        assert.equal(json.reason, 'Invalid');
        assert.equal(json.details.kind, 'ListOptions');
        assert.equal(json.details.group, 'meta.k8s.io');
      });
    }

    test('A malformed version is rejected with 400 in every read.', async () => {
      for (const version of MALFORMED_VERSIONS) {
        for (const query of ['/a?', '?', '?limit=2&', '?resourceVersionMatch=Exact&', '?watch=1&', '/a?watch=1&']) {
          const reply = await client.get(`${MAPS}${query}resourceVersion=${version}`);
          assert.equal(reply.code, 400, `${query} ${version}`);
          assert.match(reply.json.message, /^invalid resource version: /);
        }
      }
    });

    test('Gets and lists at a future version fail with 504 and the cause ResourceVersionTooLarge.', async () => {
      const future = last + 1_000_000;
      const queries = [
        '/a?',
        '?',
        '?limit=2&',
        '?resourceVersionMatch=Exact&',
        '?resourceVersionMatch=NotOlderThan&limit=1&',
      ];
      const replies = await Promise.all(queries.map((query) => client.get(`${MAPS}${query}resourceVersion=${future}`)));
      for (const { code, json, headers } of replies) {
        assert.equal(code, 504);
        assert.equal(json.reason, 'Timeout');
        assert.match(json.message, new RegExp(`^Timeout: Too large resource version: ${future}, current: \\d+$`));
        assert.deepEqual(json.details.causes, [
          { reason: 'ResourceVersionTooLarge', message: 'Too large resource version' },
        ]);
        assert.equal(json.details.retryAfterSeconds, 1);
        assert.equal(headers['retry-after'], '1');
      }
    });

    for (const [what, text] of Object.entries(INVALID_TOKENS)) {
      test(`A continue token with this defect is rejected with 400: ${what}.`, async () => {
        const { code, json } = await client.get(`${MAPS}?limit=2&continue=${encodeURIComponent(text)}`);
        assert.equal(code, 400);
        assert.equal(json.reason, 'BadRequest');
        assert.match(json.message, /^invalid continue token: /);
      });
    }

    test('An expired token is rejected with 410 and a new token for the rest of the newest state.', async () => {
      const expired = token({ v: V, rv: last, start: 'a\0', until: Date.now() - 1 });
      const { code, json } = await client.get(`${MAPS}?limit=2&continue=${expired}`);
      assert.deepEqual([code, json.reason], [410, 'Expired']);
      const rest = await client.get(`${MAPS}?limit=2&continue=${json.metadata.continue}`);
      assert.deepEqual(namesOf(rest), ['c', 'd']);
      const { until: given } = JSON.parse(Buffer.from(next, 'base64url').toString());
      assert.ok(Math.abs(given - Date.now() - 300_000) < 120_000, 'tokens are valid for five minutes');
    });

    test('A token with revision -1 continues with the newest state.', async () => {
      await touch();
      const reply = await client.get(`${MAPS}?limit=2&continue=${token({ v: V, rv: -1, start: 'a\0' })}`);
      assert.deepEqual(namesOf(reply), ['c', 'd']);
      assert.equal(reply.json.metadata.remainingItemCount, 2);
      assert.ok(versionOf(reply) > last);
    });

    test('All pages of a list have the same version during writes, and the last page has an empty token.', async () => {
      let page = await client.get(`${MAPS}?limit=2`);
      const version = versionOf(page);
      const names = namesOf(page);
      const remaining = [page.json.metadata.remainingItemCount];
      while (page.json.metadata.continue !== '') {
        await touch();
        page = await client.get(`${MAPS}?limit=2&continue=${page.json.metadata.continue}`);
        assert.equal(versionOf(page), version);
        names.push(...namesOf(page));
        remaining.push(page.json.metadata.remainingItemCount);
      }
      assert.deepEqual(names, NEW_NAMES);
      assert.deepEqual(remaining, [3, 1, undefined]);
    });

    test('The gate ListFromCacheSnapshot decides whether exact lists and continuations are read from the store.', async () => {
      const count = async () => {
        const { text } = await client.get('/metrics');
        return Number(/^tidegate_gateway_lists_total\{source="store"\} (\d+)/m.exec(text)?.[1] ?? 0);
      };
      const before = await count();
      await client.get(`${MAPS}?resourceVersion=${last}&resourceVersionMatch=Exact`);
      await client.get(`${MAPS}?limit=2&continue=${next}`);
      await client.get(`${MAPS}?limit=2`);
      assert.equal(await count(), before + (snapshots ? 0 : 2));
    });

    test('A namespace that cannot exist has no objects.', async () => {
      const at = `resourceVersion=${old}&resourceVersionMatch=Exact`;
      for (const place of ['nowhere', 'a%27b', 'a%5Cb', 'a%00b']) {
        const reply = await client.get(`/api/v1/namespaces/${place}/configmaps?${at}`);
        assert.ok(reply.code === 404 || reply.json.items.length === 0, `${place}: ${reply.text}`);
      }
    });
  });
}
