import { Connection } from '../generator/connection.ts';

/** The objects and the account for a flood. */
export interface Setting {
  /** a token of the service account that floods */
  readonly account: string;
  readonly node: Update;
  readonly lease: Update;
}

interface Update {
  readonly path: string;
  readonly body: string;
}

const RBAC = '/apis/rbac.authorization.k8s.io/v1';

/** Creates the objects and grants the permissions for the flood. */
export async function prepareCluster({ server, token }: { server: string; token: string }): Promise<Setting> {
  const { hostname: host, port } = new URL(server);
  const admin = await Connection.open({ host, port: Number(port), token });
  const make = async (path: string, object: object) => {
    const { code, body } = await admin.request(
      'POST',
      path,
      Buffer.from(JSON.stringify(object)),
      'application/json',
      true,
    );
    if (code !== 201) throw new Error(`${path} answered ${code}: ${body.toString('utf8')}`);
    return JSON.parse(body.toString('utf8')) as { status: { token?: string } };
  };
  for (const name of ['noisy', 'calm']) {
    await make('/api/v1/namespaces', { metadata: { name } });
    await make(`/api/v1/namespaces/${name}/configmaps`, { metadata: { name: 'one' }, data: { a: 'b'.repeat(1000) } });
  }
  const subjects = ['noisy', 'ann', 'system:node:n1', 'system:kube-scheduler'].map((name) => ({ kind: 'User', name }));
  const account = { kind: 'ServiceAccount', name: 'noisy', namespace: 'noisy' };
  await make(`${RBAC}/clusterrolebindings`, {
    metadata: { name: 'flood' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [...subjects, account],
  });
  await make('/api/v1/namespaces/noisy/serviceaccounts', { metadata: { name: 'noisy' } });
  const issued = await make('/api/v1/namespaces/noisy/serviceaccounts/noisy/token', { spec: {} });
  await make('/api/v1/nodes', { metadata: { name: 'n1' } });
  const leases = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases';
  await make(leases, { metadata: { name: 'leader' }, spec: { holderIdentity: 'one' } });
  admin.close();
  return {
    account: issued.status.token ?? '',
    node: { path: '/api/v1/nodes/n1/status', body: '{"status":{"capacity":{"pods":"NUMBER"}}}' },
    lease: { path: `${leases}/leader`, body: '{"spec":{"leaseTransitions":NUMBER}}' },
  };
}
