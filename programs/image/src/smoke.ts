import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Options, OptionTable } from '@tidegate/options';

export const smokeOptions = {
  server: { type: 'string', required: true, value: 'URL', help: 'the URL of the gateway' },
  'ca-file': { type: 'string', required: true, value: 'FILE', help: 'the authority of its serving certificate' },
  'token-file': { type: 'string', required: true, value: 'FILE', help: 'the bearer token of a user who may write' },
  namespace: { type: 'string', default: 'default', value: 'NAME', help: 'the namespace of the ConfigMap' },
  'timeout-seconds': { type: 'number', default: 60, help: 'how long the gateway may take to become ready' },
} as const satisfies OptionTable;

type SmokeOptions = Options<typeof smokeOptions>;

interface Reply {
  readonly code: number;
  readonly text: string;
}

const PAUSE_MS = 500;
const ANSWER_MS = 10_000;

/** Checks readiness, and creates, reads and deletes a ConfigMap. Throws at the first unexpected answer. */
export async function smoke(options: SmokeOptions, print: (text: string) => void): Promise<void> {
  const ask = client(options);
  const end = Date.now() + options.timeoutSeconds * 1000;
  const soon = (path: string, what: string) =>
    untilThere(() => ask('GET', path), end, `${what} ${options.timeoutSeconds} s`);
  await soon('/readyz', 'the gateway is not ready after');
  print('The gateway is ready.');
  // in a new system a controller creates the namespace
  await soon(`/api/v1/namespaces/${options.namespace}`, `the namespace ${options.namespace} does not exist after`);
  const all = `/api/v1/namespaces/${options.namespace}/configmaps`;
  const data = { greeting: 'hi' };
  const wanted = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'tidegate-smoke-' }, data };
  const made = expected(await ask('POST', all, wanted), 201, 'to create a ConfigMap');
  const { name } = (JSON.parse(made.text) as { metadata: { name: string } }).metadata;
  try {
    const read = expected(await ask('GET', `${all}/${name}`), 200, 'to read it');
    const { greeting } = (JSON.parse(read.text) as { data: typeof data }).data;
    if (greeting !== data.greeting) throw new Error(`${name} has other data than was written: ${read.text}`);
  } finally {
    expected(await ask('DELETE', `${all}/${name}`), 200, 'to delete it');
  }
  expected(await ask('GET', `${all}/${name}`), 404, 'to read the deleted object');
  print(`The ConfigMap ${name} was created, read and deleted.`);
}

type Ask = (method: string, path: string, object?: object) => Promise<Reply>;

async function untilThere(ask: () => Promise<Reply>, end: number, otherwise: string): Promise<void> {
  for (;;) {
    const reply = await ask().catch((error: Error) => ({ code: 0, text: error.message }));
    if (reply.code === 200) return;
    if (Date.now() > end) throw new Error(`${otherwise}: ${reply.text.trim()}`);
    await sleep(PAUSE_MS);
  }
}

function expected(reply: Reply, code: number, what: string): Reply {
  if (reply.code === code) return reply;
  throw new Error(
    `the gateway answered the request ${what} with ${reply.code} instead of ${code}: ${reply.text.trim()}`,
  );
}

function client({ server, caFile, tokenFile }: SmokeOptions): Ask {
  const ca = readFileSync(caFile);
  const token = readFileSync(tokenFile, 'utf8').trim();
  return (method, path, object) =>
    new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const options = { method, ca, headers, timeout: ANSWER_MS };
      const call = request(new URL(path, server), options, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => {
          text += part;
        });
        response.on('error', reject);
        response.on('end', () => resolve({ code: response.statusCode ?? 0, text }));
      });
      call.on('timeout', () => call.destroy(new Error(`no answer within ${ANSWER_MS} ms`)));
      call.on('error', reject);
      call.end(object === undefined ? undefined : JSON.stringify(object));
    });
}
