import { readFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import { parentPort, workerData } from 'node:worker_threads';
import type { Look, Seen } from './bystander.ts';

/** The thread of a bystander: what the attacker's own work delays is not to be counted. */
const { server, caFile, token, path, elsewhere } = workerData as Look;
const EVERY_MS = 20;

const agents = {
  https: new https.Agent({ keepAlive: true, ca: readFileSync(caFile) }),
  http: new http.Agent({ keepAlive: true }),
};
const headers = { Authorization: `Bearer ${token}` };
let seen = nothingYet();

function nothingYet(): Seen {
  return { begun: 0, reads: 0, slowestMs: 0, slowestElsewhereMs: 0, failures: [], eventsSeen: 0 };
}

function read(url: URL, told: (ms: number, code: number | string) => void): void {
  const begun = performance.now();
  const over = (code: number | string) => told(performance.now() - begun, code);
  const [ask, agent] = url.protocol === 'https:' ? [https.request, agents.https] : [http.request, agents.http];
  const call = ask(url, { agent, headers }, (response) => {
    response.resume();
    response.once('end', () => over(response.statusCode ?? 0));
  });
  call.once('error', (error) => over(error.message)).end();
}

setInterval(() => {
  const of = seen;
  of.begun++;
  read(new URL(path, server), (ms, code) => {
    of.reads++;
    of.slowestMs = Math.max(of.slowestMs, ms);
    if (code !== 200) of.failures.push(`a read: ${code}`);
  });
  read(new URL(elsewhere), (ms) => {
    of.slowestElsewhereMs = Math.max(of.slowestElsewhereMs, ms);
  });
}, EVERY_MS);

const collection = path.slice(0, path.lastIndexOf('/'));
const options = { agent: false, ca: readFileSync(caFile), headers };
const watch = https.request(new URL(`${collection}?watch=1`, server), options, (response) => {
  if (response.statusCode !== 200) seen.failures.push(`the watch: ${response.statusCode}`);
  response.setEncoding('utf8').on('data', (text: string) => {
    seen.eventsSeen += text.split('\n').length - 1;
  });
  response.once('close', () => seen.failures.push('the watch ended'));
  parentPort?.postMessage('watching');
});
watch.once('error', (error) => seen.failures.push(`the watch: ${error.message}`)).end();

/** Each question ends one span, and begins another. It is answered when everything that was asked in that span is. */
parentPort?.on('message', () => {
  const ended = seen;
  seen = nothingYet();
  const timer = setInterval(() => {
    if (ended.reads < ended.begun) return;
    clearInterval(timer);
    parentPort?.postMessage(ended);
  }, 5);
});
