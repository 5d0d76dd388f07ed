import { readFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import { parentPort, workerData } from 'node:worker_threads';
import type { BystanderTarget, Observation } from './bystander.ts';

/** The bystander has its own thread, so that the work of the attacker in the main thread does not delay it. */
const { server, caFile, token, path, controlUrl } = workerData as BystanderTarget;
const EVERY_MS = 20;

const agents = {
  https: new https.Agent({ keepAlive: true, ca: readFileSync(caFile) }),
  http: new http.Agent({ keepAlive: true }),
};
const headers = { Authorization: `Bearer ${token}` };
let current = emptyObservation();

function emptyObservation(): Observation {
  return { startedReads: 0, finishedReads: 0, slowestMs: 0, slowestControlMs: 0, failures: [], events: 0 };
}

function read(url: URL, onDone: (ms: number, code: number | string) => void): void {
  const begun = performance.now();
  const done = (code: number | string) => onDone(performance.now() - begun, code);
  const [request, agent] = url.protocol === 'https:' ? [https.request, agents.https] : [http.request, agents.http];
  const call = request(url, { agent, headers }, (response) => {
    response.resume();
    response.once('end', () => done(response.statusCode ?? 0));
  });
  call.once('error', (error) => done(error.message)).end();
}

setInterval(() => {
  const observation = current;
  observation.startedReads++;
  read(new URL(path, server), (ms, code) => {
    observation.finishedReads++;
    observation.slowestMs = Math.max(observation.slowestMs, ms);
    if (code !== 200) observation.failures.push(`a read: ${code}`);
  });
  read(new URL(controlUrl), (ms) => {
    observation.slowestControlMs = Math.max(observation.slowestControlMs, ms);
  });
}, EVERY_MS);

const collection = path.slice(0, path.lastIndexOf('/'));
const options = { agent: false, ca: readFileSync(caFile), headers };
const watch = https.request(new URL(`${collection}?watch=1`, server), options, (response) => {
  if (response.statusCode !== 200) current.failures.push(`the watch: ${response.statusCode}`);
  response.setEncoding('utf8').on('data', (text: string) => {
    current.events += text.split('\n').length - 1;
  });
  response.once('close', () => current.failures.push('the watch ended'));
  parentPort?.postMessage('watching');
});
watch.once('error', (error) => current.failures.push(`the watch: ${error.message}`)).end();

/** Each request for a report ends one span and starts another. The report is sent when all reads of the span are done. */
parentPort?.on('message', () => {
  const ended = current;
  current = emptyObservation();
  const timer = setInterval(() => {
    if (ended.finishedReads < ended.startedReads) return;
    clearInterval(timer);
    parentPort?.postMessage(ended);
  }, 5);
});
