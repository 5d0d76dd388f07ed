import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until, whyNoNats } from '@tidegate/testkit';
import { Api } from '../reliability/load/api.ts';
import { startCluster } from '../reliability/system/cluster.ts';
import { Balancer } from './balancer.ts';
import { configMap, MAPS } from './client.ts';
import { RetryingClient } from './retrying-client.ts';
import { RollingWatcher } from './rolling-watcher.ts';

const noNats = (await whyNoNats()) ?? false;
const EACH_MS = 10;
const PARTS = ['store-1', 'store-2', 'watch-1', 'watch-2', 'gateway-1', 'gateway-2'];
const WATCHERS = 20;
/** so many that two patches of one seldom meet */
const FIXED = 200;
/** what the balancer needs to see that a gateway is not ready any more, and a little */
const DELAY = '2s';
/** Two seconds are promised; a slow machine is given three times that. */
const LONGEST_MS = 6000;

/** Requests at a steady rate, whether or not those before are answered. */
class Load {
  readonly #clients: readonly RetryingClient[];
  readonly #timer: NodeJS.Timeout;
  readonly #running = new Set<Promise<void>>();
  readonly failures: string[] = [];
  readonly made: number[] = [];
  asked = 0;

  constructor(clients: readonly RetryingClient[], perSecond: number) {
    this.#clients = clients;
    const begun = performance.now();
    this.#timer = setInterval(() => {
      while (this.asked < ((performance.now() - begun) * perSecond) / 1000) this.#ask(this.asked++);
    }, EACH_MS);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all(this.#running);
  }

  #ask(number: number): void {
    const client = this.#clients[number % this.#clients.length] as RetryingClient;
    const done = this.#one(client, number).finally(() => this.#running.delete(done));
    this.#running.add(done);
  }

  async #one(client: RetryingClient, number: number): Promise<void> {
    const kind = Math.floor(number / this.#clients.length) % 10;
    const path = `${MAPS}/fixed-${number % FIXED}`;
    const body = { data: { number: String(number) } };
    const isCreate = kind === 0;
    const answer = isCreate
      ? await client.ask({ method: 'POST', path: MAPS, body: configMap(`made-${number}`) })
      : kind < 3
        ? await client.ask({ method: 'PATCH', path, body })
        : await client.ask({ method: 'GET', path });
    if (typeof answer === 'string') this.failures.push(answer);
    else if (answer.code >= 400) this.failures.push(`${answer.code} ${answer.text}`);
    else if (isCreate) this.made.push(Number(JSON.parse(answer.text).metadata.resourceVersion));
  }
}

/** Restarts every replica of every part, one after another, under so many requests a second. */
export function rollingRestart(perSecond: number): void {
  const title = `under ${perSecond} requests a second a rolling restart fails none, and interrupts watches for seconds at most`;
  test(title, { skip: noNats }, async (context) => {
    const flags = { gateway: { 'shutdown-delay-duration': DELAY } };
    const cluster = await startCluster({ replicas: 2, nats: true, flags });
    const isReady = cluster.endpoints.map((_, i) => () => cluster.ready(`gateway-${i + 1}`));
    const ports = cluster.endpoints.map(({ server }) => Number(new URL(server).port));
    const balancer = await Balancer.open(
      ports.map((port, i) => ({ port, isReady: isReady[i] as () => Promise<boolean> })),
    );
    const endpoint = { ...cluster.endpoints[0]!, server: `https://127.0.0.1:${balancer.port}` };
    const setup = new Api(endpoint, 20_000);
    const watched = new Api(endpoint, 600_000);
    const clients = ([1, 2, 1, 2] as const).map((version) => new RetryingClient(endpoint, version));
    const watchers = Array.from({ length: WATCHERS }, () => new RollingWatcher([watched]));
    let load: Load | undefined;
    try {
      await setup.send({ method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name: 'default' } } });
      for (let i = 0; i < FIXED; i++) await setup.send({ method: 'POST', path: MAPS, body: configMap(`fixed-${i}`) });
      const listed = await setup.send({ method: 'GET', path: MAPS });
      assert.ok(listed.kind === 'answered' && listed.json.items.length === FIXED);
      const watching = watchers.map((watcher) => watcher.run(MAPS, Number(listed.json.metadata.resourceVersion)));
      await until('all to watch', () => watchers.every(({ connects }) => connects > 0));
      load = new Load(clients, perSecond);
      for (const name of PARTS) await cluster.restart(name);
      await load.stop();
      assert.deepEqual(
        PARTS.map(cluster.ends).filter((end) => end !== ''),
        [],
      );
      const { made, asked, failures } = load;
      const last = Math.max(...made);
      await until('all watchers to have caught up', () => watchers.every((watcher) => watcher.last >= last));
      for (const watcher of watchers) watcher.stop();
      await Promise.all(watching);

      const interruptions = watchers.flatMap((watcher) => watcher.interruptionsMs);
      const longest = Math.max(0, ...interruptions);
      const retries = clients.reduce((sum, client) => sum + client.retries, 0);
      context.diagnostic(
        `${asked} requests, ${retries} sent again, ${failures.length} failed; ${interruptions.length} watches ended, the longest way to the next took ${Math.round(longest)} ms`,
      );
      assert.deepEqual([...new Set(failures)].slice(0, 5), []);
      assert.ok(longest < LONGEST_MS, `${longest} ms`);
      for (const { versions, relists } of watchers) {
        assert.equal(relists, 0);
        assert.ok(
          versions.every((version, i) => i === 0 || version > (versions[i - 1] as number)),
          'Ordered, Unique',
        );
        const seen = new Set(versions);
        assert.ok(
          made.every((version) => seen.has(version)),
          'Reliable, Resumable',
        );
      }
    } finally {
      await load?.stop();
      for (const watcher of watchers) watcher.stop();
      for (const client of clients) client.close();
      for (const api of [setup, watched]) api.close();
      balancer.close();
      await cluster.stop();
    }
  });
}
