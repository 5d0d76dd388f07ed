import { once } from 'node:events';
import { type ClientHttp2Session, type ClientHttp2Stream, connect } from 'node:http2';
import { startTidegate, type TestTidegate } from '@tidegate/testkit';
import { memoryOf } from '../soak.ts';
import type { Print } from './measurements.ts';
import type { ScaleOptions } from './options.ts';

/** Long enough for a full garbage collection of an idle process; few watches, as in a smoke test, are not worth it. */
const SETTLE_MS = 30_000;
const SETTLE_MS_OF_A_WATCH = 10;
const PATH = '/api/v1/namespaces/default/configmaps?watch=1&resourceVersion=0';

/** The memory of a gateway for each of many idle watches over HTTP/2. */
export async function measureWatches({ watches, connections }: ScaleOptions, print: Print): Promise<void> {
  const tidegate = await startTidegate();
  try {
    const sessions = await Promise.all(Array.from({ length: connections }, () => open(tidegate)));
    const before = await settledMemory(tidegate, watches);
    const each = Math.ceil(watches / connections);
    for (const session of sessions) await Promise.all(Array.from({ length: each }, () => watch(session, tidegate)));
    const after = await settledMemory(tidegate, watches);
    for (const session of sessions) session.destroy();
    const kib = (what: 'held' | 'resident') => ((after[what] - before[what]) / 1024 / (each * connections)).toFixed(1);
    print(
      '| watches | connections | KiB for each, heap and buffers | KiB for each, resident | gateway, resident MiB |',
    );
    print('| ---: | ---: | ---: | ---: | ---: |');
    const mib = Math.round(after.resident / 2 ** 20);
    print(`| ${each * connections} | ${connections} | ${kib('held')} | ${kib('resident')} | ${mib} |`);
  } finally {
    await tidegate.stop();
  }
}

/** The least memory within some time, which is that after a garbage collection. */
async function settledMemory(tidegate: TestTidegate, watches: number): Promise<{ held: number; resident: number }> {
  const { pid, opsAddress } = tidegate.part('gateway');
  const least = { held: Number.POSITIVE_INFINITY, resident: Number.POSITIVE_INFINITY };
  const end = performance.now() + Math.min(SETTLE_MS, watches * SETTLE_MS_OF_A_WATCH);
  do {
    await new Promise((resolve) => setTimeout(resolve, 500));
    const { held, resident } = await memoryOf(pid, opsAddress as string);
    least.held = Math.min(least.held, held);
    least.resident = Math.min(least.resident, resident);
  } while (performance.now() < end);
  return least;
}

async function open({ server }: TestTidegate): Promise<ClientHttp2Session> {
  const session = connect(server, { rejectUnauthorized: false });
  await once(session, 'connect');
  return session;
}

async function watch(session: ClientHttp2Session, { token }: TestTidegate): Promise<ClientHttp2Stream> {
  const stream = session.request({ ':path': PATH, authorization: `Bearer ${token}` });
  const [headers] = (await once(stream, 'response')) as [{ ':status'?: number }];
  if (headers[':status'] !== 200) throw new Error(`a watch was answered with ${headers[':status']}`);
  stream.resume();
  return stream;
}
