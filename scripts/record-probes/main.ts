import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { requestPeer } from '../request-peer.ts';

/**
 * Repeats the recorded requests for one state of a kube-apiserver, and records the new responses. The state is set up
 * by hand: `well`; `stuck`, its etcd is stopped; `stopping`, after SIGTERM with a shutdown delay.
 */
const [server, token, wanted] = process.argv.slice(2);
if (server === undefined || token === undefined || wanted === undefined) {
  console.error('usage: npm run record:probes -- SERVER TOKEN well|stuck|stopping');
  process.exit(2);
}

interface Recorded {
  readonly state: string;
  readonly method: string;
  readonly path: string;
  readonly anonymous?: true;
}

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const file = join(root, 'packages/service-kit/recorded/probes.json');
const { from, answers } = JSON.parse(readFileSync(file, 'utf8')) as { from: string; answers: readonly Recorded[] };

async function repeated({ state, method, path, anonymous }: Recorded): Promise<object> {
  const peer = { server: server as string, token: anonymous ? '' : (token as string) };
  const { code, text, headers } = await requestPeer(peer, method, path);
  const message = code === 403 && text !== '' ? (JSON.parse(text) as { message: string }).message : text;
  const sniff = headers['x-content-type-options'];
  const request = { state, method, path, code, ...(anonymous && { anonymous }) };
  return { ...request, text: message, type: headers['content-type'], ...(sniff !== undefined && { sniff }) };
}

const rows: object[] = [];
for (const row of answers) rows.push(row.state === wanted ? await repeated(row) : row);
const lines = rows.map((row) => `    ${JSON.stringify(row)}`).join(',\n');
writeFileSync(file, `{\n  "from": ${JSON.stringify(from)},\n  "answers": [\n${lines}\n  ]\n}\n`);
