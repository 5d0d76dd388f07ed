import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { requestPeer } from '../request-peer.ts';

/** Records the roles and bindings that a kube-apiserver creates at its start, one per line. */
const [server, token] = process.argv.slice(2);
if (server === undefined || token === undefined) {
  console.error('usage: npm run record:bootstrap-policy -- SERVER TOKEN');
  process.exit(2);
}

const GROUP = '/apis/rbac.authorization.k8s.io/v1';
const KINDS = { clusterroles: 'ClusterRole', roles: 'Role' };
const BINDINGS = { clusterrolebindings: 'ClusterRoleBinding', rolebindings: 'RoleBinding' };
const BOOTSTRAPPING = 'kubernetes.io/bootstrapping';

interface Recorded {
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly labels?: Record<string, string> };
  readonly rules?: readonly object[] | null;
  readonly [field: string]: unknown;
}

/** An object without the parts that all of them have in common. */
function fact(kind: string, { metadata, rules, ...content }: Recorded): object {
  const { name, namespace, labels = {} } = metadata;
  const { [BOOTSTRAPPING]: _, ...own } = labels;
  return {
    kind,
    ...(namespace !== undefined && { namespace }),
    name,
    ...(Object.keys(own).length > 0 && { labels: own }),
    ...content,
    // the rules of an aggregated role are those of other roles
    ...(Array.isArray(rules) && content.aggregationRule === undefined && { rules }),
  };
}

const lines: string[] = [];
for (const [resource, kind] of Object.entries({ ...KINDS, ...BINDINGS })) {
  const { text } = await requestPeer({ server, token }, 'GET', `${GROUP}/${resource}`);
  const { items } = JSON.parse(text) as { items: readonly Recorded[] };
  const own = items.filter(({ metadata }) => metadata.labels?.[BOOTSTRAPPING] === 'rbac-defaults');
  lines.push(...own.map((item) => JSON.stringify(fact(kind, item))));
}
const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
writeFileSync(join(root, 'packages/rbac/facts/bootstrap-policy.json'), `[\n${lines.join(',\n')}\n]\n`);
