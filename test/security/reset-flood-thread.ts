import { readFileSync } from 'node:fs';
import { type ClientHttp2Session, connect } from 'node:http2';
import { setTimeout as delay } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { cancelRequests } from '../support/raw-connection.ts';
import type { ResetFlood } from './reset-flood.ts';

/** The attacker has its own thread: its work does not delay the test, and ending the thread closes its connections. */
const { server, caFile, token, path, connections, durationMs } = workerData as ResetFlood;
const ca = readFileSync(caFile);
const headers = { ':path': path, authorization: `Bearer ${token}` };
const sent = { requests: 0, connections: 0 };

function open(): void {
  sent.connections++;
  const session: ClientHttp2Session = connect(server, { ca });
  let timer: NodeJS.Timeout | undefined;
  session.on('error', () => {});
  session.on('connect', () => {
    timer = setInterval(() => {
      sent.requests += cancelRequests(session, headers, 100);
    }, 1);
  });
  session.on('close', () => {
    clearInterval(timer);
    setTimeout(open, 1);
  });
}

for (let i = 0; i < connections; i++) open();
await delay(durationMs);
parentPort?.postMessage(sent);
