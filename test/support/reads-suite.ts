import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { GARBAGE, MALFORMED, REFUSED, token, V, WITH_WATCH_LIST, WITHOUT_WATCH_LIST } from './bad-options.ts';
import { type Client, configMap, type Reply, type Watch, type WatchEvent } from './client.ts';
import { type RunningSystem, runningSystem } from './running-system.ts';

const MAPS = '/api/v1/namespaces/reads/configmaps';
const OLD_NAMES = ['a', 'b', 'c', 'd', 'e'];
const NEW_NAMES = ['a', 'c', 'd', 'e', 'f'];

interface Named {
  metadata: { name: string; resourceVersion: string };
}
const namesOf = (reply: Reply): string[] => reply.json.items.map((item: Named) => item.metadata.name);
const versionOf = (reply: Reply): number => Number(reply.json.metadata.resourceVersion);

/** A state, and one that came three changes later: a is replaced, b deleted, f made. */
async function prepare(client: Client): Promise<{ old: number; token: string; last: number }> {
  const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'reads' } };
  assert.equal((await client.ask('POST', '/api/v1/namespaces', { body })).code, 201);
  for (const name of OLD_NAMES) await client.ask('POST', MAPS, { body: configMap(name, { is: 'old' }) });
  const page = await client.get(`${MAPS}?limit=2`);
  await client.ask('PUT', `${MAPS}/a`, { body: configMap('a', { is: 'new' }) });
  await client.ask('DELETE', `${MAPS}/b`);
  const made = await client.ask('POST', MAPS, { body: configMap('f', { is: 'new' }) });
  return { old: versionOf(page), token: page.json.metadata.continue, last: versionOf(made) };
}

type Meaning = 'most recent' | 'any' | 'not older than' | 'exact' | 'continuation' | 400 | 422;
type Row = readonly [match: string, paging: '' | 'limit' | 'token', unset: Meaning, zero: Meaning, other: Meaning];

/** The table of lists: what each combination means, by the version unset, "0" and another. */
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

/** What each read means, of every combination of versions, matches and pages. */
export function readsSuite({ snapshots, watchList }: Gates): void {
  describe(`With ListFromCacheSnapshot=${snapshots} and WatchList=${watchList}`, () => {
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

    /** Something new, so that what is most recent is not what somebody remembers. */
    const touch = async () =>
      versionOf(await client.ask('PUT', `${MAPS}/c`, { body: configMap('c', { at: `${Math.random()}` }) }));

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
        test(`a list with ${title} is ${typeof meaning === 'number' ? 'invalid' : meaning}`, async () => {
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

    test('a get is the most recent when no version is named, any at "0", and not older than another', async () => {
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
    const told = (events: WatchEvent[]) =>
      events.map(({ type, object }) => `${type} ${object.metadata.name ?? ''}`.trim());

    for (const [title, query] of [
      ['no version gets the state and starts at the most recent', ''],
      ['"0" gets the state and starts at any', '&resourceVersion=0'],
    ] as const) {
      test(`a watch with ${title}`, async () => {
        // any state may be one from before the test: this list brings the mirror to the present
        await client.get(MAPS);
        const watch = await client.watch(`${MAPS}?watch=1${query}`);
        const state = NEW_NAMES.map((name) => `ADDED ${name}`);
        const written = await touch();
        const events = await take(watch, 6);
        assert.deepEqual(told(events), [...state, 'MODIFIED c']);
        assert.equal(Number(events[5]?.object.metadata.resourceVersion), written);
      });

      test(`such a watch (${query || 'no version'}) ${watchList ? 'tells' : 'does not tell'} where its state ends`, async () => {
        const watch = await client.watch(`${MAPS}?watch=1&allowWatchBookmarks=true${query}`);
        await touch();
        const [, , , , , sixth] = await take(watch, 6);
        assert.equal(sixth?.type, watchList ? 'BOOKMARK' : 'MODIFIED');
      });
    }

    test('a watch with another version starts at exactly that', async () => {
      const watch = await client.watch(`${MAPS}?watch=1&resourceVersion=${old}`);
      assert.deepEqual(told(await take(watch, 3)), ['MODIFIED a', 'DELETED b', 'ADDED f']);
    });

    test('a watch of one object tells of that object only', async () => {
      const watch = await client.watch(`${MAPS}/b?watch=1&resourceVersion=${old}`);
      assert.deepEqual(told(await take(watch, 1)), ['DELETED b']);
    });

    test('a watch at a version of the future waits silently, and goes on from there', async () => {
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
        test(`a streaming list with ${version} sends the state, the marked bookmark, and what follows`, async () => {
          const written = await touch();
          const initial = 'watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
          const watch = await client.watch(`${MAPS}?${initial}${query.replace('OLD', String(old))}`);
          await touch();
          const events = await take(watch, 7);
          assert.deepEqual(told(events), [...NEW_NAMES.map((name) => `ADDED ${name}`), 'BOOKMARK', 'MODIFIED c']);
          const { metadata } = events[5]?.object ?? {};
          assert.deepEqual(metadata.annotations, { 'k8s.io/initial-events-end': 'true' });
          assert.ok(Number(metadata.resourceVersion) >= (query === '' ? written : old));
        });
      }

      test('a streaming list that wants no initial events is a watch', async () => {
        const initial = 'sendInitialEvents=false&resourceVersionMatch=NotOlderThan';
        const watch = await client.watch(`${MAPS}?watch=1&${initial}&resourceVersion=${old}`);
        assert.deepEqual(told(await take(watch, 3)), ['MODIFIED a', 'DELETED b', 'ADDED f']);
      });
    }

    for (const [query, message] of [...REFUSED, ...(watchList ? WITH_WATCH_LIST : WITHOUT_WATCH_LIST)]) {
      test(`?${query} is refused with the words that clients know`, async () => {
        const { code, json } = await client.get(`${MAPS}?${query}`);
        assert.equal(code, 422);
        assert.equal(json.message, message);
        assert.equal(json.reason, 'Invalid');
        assert.equal(json.details.kind, 'ListOptions');
        assert.equal(json.details.group, 'meta.k8s.io');
      });
    }

    test('a malformed version is 400 everywhere', async () => {
      for (const version of MALFORMED) {
        for (const query of ['/a?', '?', '?limit=2&', '?resourceVersionMatch=Exact&', '?watch=1&', '/a?watch=1&']) {
          const reply = await client.get(`${MAPS}${query}resourceVersion=${version}`);
          assert.equal(reply.code, 400, `${query} ${version}`);
          assert.match(reply.json.message, /^invalid resource version: /);
        }
      }
    });

    test('a version of the future is 504 for gets and lists, and says so in the way that clients know', async () => {
      const asked = last + 1_000_000;
      const queries = [
        '/a?',
        '?',
        '?limit=2&',
        '?resourceVersionMatch=Exact&',
        '?resourceVersionMatch=NotOlderThan&limit=1&',
      ];
      const replies = await Promise.all(queries.map((query) => client.get(`${MAPS}${query}resourceVersion=${asked}`)));
      for (const { code, json, headers } of replies) {
        assert.equal(code, 504);
        assert.equal(json.reason, 'Timeout');
        assert.match(json.message, new RegExp(`^Timeout: Too large resource version: ${asked}, current: \\d+$`));
        assert.deepEqual(json.details.causes, [
          { reason: 'ResourceVersionTooLarge', message: 'Too large resource version' },
        ]);
        assert.equal(json.details.retryAfterSeconds, 1);
        assert.equal(headers['retry-after'], '1');
      }
    });

    for (const [what, text] of Object.entries(GARBAGE)) {
      test(`a token that is ${what} is 400`, async () => {
        const { code, json } = await client.get(`${MAPS}?limit=2&continue=${encodeURIComponent(text)}`);
        assert.equal(code, 400);
        assert.equal(json.reason, 'BadRequest');
        assert.match(json.message, /^invalid continue token: /);
      });
    }

    test('a token that is over is 410, with one that brings the rest of the newest state', async () => {
      const over = token({ v: V, rv: last, start: 'a\0', until: Date.now() - 1 });
      const { code, json } = await client.get(`${MAPS}?limit=2&continue=${over}`);
      assert.deepEqual([code, json.reason], [410, 'Expired']);
      const rest = await client.get(`${MAPS}?limit=2&continue=${json.metadata.continue}`);
      assert.deepEqual(namesOf(rest), ['c', 'd']);
      const { until: given } = JSON.parse(Buffer.from(next, 'base64url').toString());
      assert.ok(Math.abs(given - Date.now() - 300_000) < 120_000, 'tokens hold for five minutes');
    });

    test('a token with revision -1 brings the rest of the newest state', async () => {
      await touch();
      const reply = await client.get(`${MAPS}?limit=2&continue=${token({ v: V, rv: -1, start: 'a\0' })}`);
      assert.deepEqual(namesOf(reply), ['c', 'd']);
      assert.equal(reply.json.metadata.remainingItemCount, 2);
      assert.ok(versionOf(reply) > last);
    });

    test('pages have one version while writes go on, and the last says that it is', async () => {
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

    test('exact lists and continuations come from where the gate says', async () => {
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

    test('a place that no object can have is empty', async () => {
      const at = `resourceVersion=${old}&resourceVersionMatch=Exact`;
      for (const place of ['nowhere', 'a%27b', 'a%5Cb', 'a%00b']) {
        const reply = await client.get(`/api/v1/namespaces/${place}/configmaps?${at}`);
        assert.ok(reply.code === 404 || reply.json.items.length === 0, `${place}: ${reply.text}`);
      }
    });
  });
}
