import { once } from 'node:events';
import { type ClientHttp2Session, type ClientHttp2Stream, connect } from 'node:http2';
import { residentMib } from '../cpu.ts';
import { createNamespace } from '../measure.ts';
import { newTarget, type Target } from '../target.ts';
import type { Print } from './measurements.ts';
import type { ScaleOptions } from './options.ts';

/** Long enough for a full garbage collection of an idle process; few watches, as in a smoke test, are not worth it. */
const SETTLE_MS = 20_000;
const SETTLE_MS_OF_A_WATCH = 10;

/** The memory of a gateway for each of many idle watches over HTTP/2. */
export async function measureWatches({ watches, connections }: ScaleOptions, print: Print): Promise<void> {
  const target = await newTarget();
  try {
    const { name } = await createNamespace(target, 'watches', 'ConfigMap');
    const gateways = target.processes.filter((one) => one.name === 'gateway');
    const sessions = await Promise.all(Array.from({ length: connections }, () => open(target)));
    await settled(watches);
    const before = residentMib(gateways);
    const path = `/api/v1/namespaces/${name}/configmaps?watch=1&resourceVersion=0`;
    const each = Math.ceil(watches / connections);
    for (const session of sessions) await Promise.all(Array.from({ length: each }, () => watch(session, target, path)));
    await settled(watches);
    const after = residentMib(gateways);
    for (const session of sessions) session.destroy();
    print('| watches | connections | gateway MiB before | gateway MiB with them | KiB for each watch |');
    print('| ---: | ---: | ---: | ---: | ---: |');
    const kib = (((after - before) * 1024) / (each * connections)).toFixed(1);
    print(`| ${each * connections} | ${connections} | ${before} | ${after} | ${kib} |`);
  } finally {
    await target.stop();
  }
}

const settled = (watches: number) =>
  new Promise((resolve) => setTimeout(resolve, Math.min(SETTLE_MS, watches * SETTLE_MS_OF_A_WATCH)));

async function open({ server }: Target): Promise<ClientHttp2Session> {
  const session = connect(server, { rejectUnauthorized: false });
  await once(session, 'connect');
  return session;
}

async function watch(session: ClientHttp2Session, { token }: Target, path: string): Promise<ClientHttp2Stream> {
  const stream = session.request({ ':path': path, authorization: `Bearer ${token}` });
  const [headers] = (await once(stream, 'response')) as [{ ':status'?: number }];
  if (headers[':status'] !== 200) throw new Error(`a watch was answered with ${headers[':status']}`);
  stream.resume();
  return stream;
}
