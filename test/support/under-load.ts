import assert from 'node:assert/strict';
import { until } from '@tidegate/testkit';
import { type Client, configMap, MAPS, type Watch } from './client.ts';

/** Watches a collection; after an interruption it resumes from the last version that it received. */
class Follower {
  readonly versions: bigint[] = [];
  readonly names: string[] = [];
  /** how often a 410 would have forced the client to list again */
  relists = 0;
  readonly #client: Client;
  #from: string;
  #watch: Watch | undefined;
  #stopped = false;

  constructor(client: Client, from: string) {
    this.#client = client;
    this.#from = from;
  }

  async run(): Promise<void> {
    while (!this.#stopped) {
      try {
        this.#watch = await this.#client.watch(`${MAPS}?watch=1&timeoutSeconds=60&resourceVersion=${this.#from}`);
        if (this.#watch.code === 410) this.relists++;
        else if (this.#watch.code === 200) await this.#read(this.#watch);
      } catch {
        // the gateway is down and will be started again
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  stop(): void {
    this.#stopped = true;
    this.#watch?.close();
  }

  async #read(watch: Watch): Promise<void> {
    for (;;) {
      const { type, object } = await watch.next();
      if (type === 'ERROR') {
        this.relists++;
        return;
      }
      this.#from = object.metadata.resourceVersion;
      this.versions.push(BigInt(object.metadata.resourceVersion));
      this.names.push(`${type} ${object.metadata.name}`);
    }
  }
}

/** Pause after each write; throughput does not matter here. */
const PAUSE_MS = 20;

interface Load {
  stopped: boolean;
  /** the test has failed, so lost answers are not waited for */
  failed: boolean;
}

/** Creates objects one after another until stopped; a write without an answer is repeated. */
async function write(client: Client, writer: number, acknowledged: string[], load: Load): Promise<void> {
  for (let i = 0; !load.stopped; i++) {
    const name = `w${writer}-${i}`;
    for (;;) {
      const reply = await client.request('POST', MAPS, { body: configMap(name) }).catch(() => undefined);
      if (reply?.code === 201 || reply?.code === 409) break;
      if (load.failed) return;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    acknowledged.push(name);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

/** Resolves when more than 30 further writes are acknowledged. */
export type Progress = () => Promise<void>;

/**
 * Runs writers and watchers while `disturb` disturbs the system. Then checks that no acknowledged write is lost, and
 * that watchers received each event once and needed no new list.
 */
export async function underLoad(client: Client, disturb: (progress: Progress) => Promise<void>): Promise<void> {
  const from = (await client.get(MAPS)).json.metadata.resourceVersion;
  const followers = [new Follower(client, from), new Follower(client, from)];
  const following = followers.map((follower) => follower.run());
  const acknowledged: string[] = [];
  const load: Load = { stopped: false, failed: false };
  const writing = [0, 1, 2, 3].map((writer) => write(client, writer, acknowledged, load));
  const progress = async () => {
    const before = acknowledged.length;
    await until('writes to continue', () => acknowledged.length > before + 30);
  };
  try {
    try {
      await progress();
      await disturb(progress);
      await progress();
    } catch (error) {
      load.failed = true;
      throw error;
    } finally {
      load.stopped = true;
      await Promise.all(writing);
    }
    await checkPromises(client, followers, acknowledged);
  } finally {
    for (const follower of followers) follower.stop();
    await Promise.all(following);
  }
}

/** Describes an object that is missing from the list: whether it exists, and whether watchers received it. */
async function describeMissing(client: Client, followers: readonly Follower[], name: string): Promise<string> {
  const [now, known] = await Promise.all([
    client.get(`${MAPS}/${name}`),
    client.get(`${MAPS}/${name}?resourceVersion=0`),
  ]);
  const seen = followers.map(({ names, versions }) => versions[names.indexOf(`ADDED ${name}`)] ?? 'never');
  return `${name}: ${now.code} in the store, ${known.code} in the mirror, seen at ${seen.join(' and ')}`;
}

async function checkPromises(
  client: Client,
  followers: readonly Follower[],
  acknowledged: readonly string[],
): Promise<void> {
  const listed: string[] = (await client.get(MAPS)).json.items.map(
    (item: { metadata: { name: string } }) => item.metadata.name,
  );
  const known = new Set(listed);
  const missing = acknowledged.filter((name) => !known.has(name));
  assert.deepEqual(await Promise.all(missing.map((name) => describeMissing(client, followers, name))), [], 'Durable');
  assert.deepEqual(listed, [...acknowledged].sort());
  for (const { versions, names, relists } of followers) {
    await until('the watchers to catch up', () => names.length >= listed.length);
    assert.ok(
      versions.every((version, i) => i === 0 || version > (versions[i - 1] as bigint)),
      'Ordered, Unique',
    );
    assert.deepEqual(
      [...names].sort(),
      listed.map((name) => `ADDED ${name}`),
      'Reliable, Resumable',
    );
    assert.equal(relists, 0);
  }
}
