import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type TestTidegate, until } from '@tidegate/testkit';
import { type Client, configMap, MAPS, type Watch } from './client.ts';
import { runningSystem } from './running-system.ts';

/** Follows a collection as clients do: after a break it goes on from the last version it saw. */
class Follower {
  readonly versions: bigint[] = [];
  readonly names: string[] = [];
  /** a 410 means that the client would have had to list again */
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
        // the gateway is away: it comes back
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

/** Writes one object after another, again where the answer was lost, until it is told to stop. */
async function write(client: Client, writer: number, acknowledged: string[], stopped: () => boolean): Promise<void> {
  for (let i = 0; !stopped(); i++) {
    const name = `w${writer}-${i}`;
    for (;;) {
      const reply = await client.ask('POST', MAPS, { body: configMap(name) }).catch(() => undefined);
      if (reply?.code === 201 || reply?.code === 409) break;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    acknowledged.push(name);
  }
}

/** Kills parts without warning under load, and checks what clients were promised. */
export function killSuite(title: string, parts: readonly string[]): void {
  describe(title, () => {
    let tidegate: TestTidegate;
    let client: Client;
    before(async () => {
      ({ tidegate, client } = await runningSystem());
    });
    after(async () => {
      client.close();
      await tidegate.stop();
    });

    test('no acknowledged write is lost, and watchers miss nothing, see nothing twice and need no new list', async () => {
      const from = (await client.get(MAPS)).json.metadata.resourceVersion;
      const followers = [new Follower(client, from), new Follower(client, from)];
      const following = followers.map((follower) => follower.run());
      const acknowledged: string[] = [];
      let stopped = false;
      const writing = [0, 1, 2, 3].map((writer) => write(client, writer, acknowledged, () => stopped));

      for (const part of parts) {
        const before = acknowledged.length;
        await until('writes to go on', () => acknowledged.length > before + 50);
        const pid = tidegate.pid(part);
        process.kill(pid, 'SIGKILL');
        await tidegate.restarted(part, pid);
      }
      const atEnd = acknowledged.length;
      await until('writes to go on after all', () => acknowledged.length > atEnd + 50);
      stopped = true;
      await Promise.all(writing);

      const listed: string[] = (await client.get(MAPS)).json.items.map(
        (item: { metadata: { name: string } }) => item.metadata.name,
      );
      assert.deepEqual(listed, [...acknowledged].sort());
      for (const follower of followers) {
        await until('the watchers to have caught up', () => follower.names.length >= listed.length);
        follower.stop();
      }
      await Promise.all(following);
      for (const { versions, names, relists } of followers) {
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
    });
  });
}
