import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { requestPeer } from '../request-peer.ts';

/** Records the priority levels and flow schemas that a kube-apiserver creates at its start, one per line. */
const [server, token] = process.argv.slice(2);
if (server === undefined || token === undefined) {
  console.error('usage: npm run record:bootstrap-flow-control -- SERVER TOKEN');
  process.exit(2);
}

const GROUP = '/apis/flowcontrol.apiserver.k8s.io/v1';
const KINDS = { prioritylevelconfigurations: 'PriorityLevelConfiguration', flowschemas: 'FlowSchema' };
const KEPT = 'apf.kubernetes.io/autoupdate-spec';

interface Recorded {
  readonly metadata: { readonly name: string; readonly annotations?: Record<string, string> };
  readonly spec: object;
}

const lines: string[] = [];
for (const [resource, kind] of Object.entries(KINDS)) {
  const { text } = await requestPeer({ server, token }, 'GET', `${GROUP}/${resource}`);
  const { items } = JSON.parse(text) as { items: readonly Recorded[] };
  const own = items.filter(({ metadata }) => metadata.annotations?.[KEPT] === 'true');
  lines.push(...own.map(({ metadata: { name }, spec }) => JSON.stringify({ kind, name, spec })));
}
const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
writeFileSync(join(root, 'packages/flow-control/facts/bootstrap.json'), `[\n${lines.join(',\n')}\n]\n`);
