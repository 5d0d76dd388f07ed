import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { PARTS, type Part } from '@tidegate/local';
import {
  programFile,
  startNats,
  startPostgres,
  type TestNats,
  type TestPostgres,
  temporaryDir,
  until,
  whyNoNats,
} from '@tidegate/testkit';
import { whyNoHelm } from '../support/helm.ts';
import { findKubectl, kubectl, whyNoKubectl } from '../support/kubectl.ts';
import { render } from './support/render.ts';
import { firstAddress, SmallCluster, whyNoAddresses } from './support/small-cluster.ts';

const programs = new Map(await Promise.all(PARTS.map(async (part) => [part, await programFile(part)] as const)));
const command = (part: string) => [process.execPath, programs.get(part as Part) as string];

const why = whyNoHelm() ?? whyNoKubectl() ?? whyNoAddresses ?? (await whyNoNats());

describe('Parts that run with the arguments of the chart', { skip: why ?? false }, () => {
  let database: TestPostgres;
  let nats: TestNats;
  let cluster: SmallCluster;
  const dir = temporaryDir('chart-cluster');
  const kubeconfig = join(dir.path, 'kubeconfig');
  const run = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await kubectl(kubeconfig, args, { HOME: dir.path });
    assert.equal(code, 0, `kubectl ${args.join(' ')}: ${stderr}\n${cluster.logTails()}`);
    return stdout;
  };
  const watches: ChildProcess[] = [];
  /** Starts `kubectl get -w`; killed after the tests at the latest. */
  const startWatch = () => {
    const child = spawn(findKubectl(), ['--kubeconfig', kubeconfig, 'get', 'configmaps', '-w', '-o', 'name']);
    watches.push(child);
    let seen = '';
    child.stdout.on('data', (bytes: Buffer) => {
      seen += bytes.toString();
    });
    return { seen: () => seen, end: () => child.kill('SIGKILL') };
  };
  const addresses = async (part: string): Promise<string[]> => {
    const { parts } = (await board(cluster.ipOf('health'))) as { parts: Array<{ part: string; address: string }> };
    return parts.filter((one) => one.part === part).map(({ address }) => address.replace(':7443', ''));
  };

  before(async () => {
    [database, nats] = await Promise.all([startPostgres(), startNats()]);
    const manifests = render(
      'no-network-policies',
      `postgresql.url=${JSON.stringify(database.url)}`,
      `nats.url=${JSON.stringify(nats.url)}`,
      // PostgreSQL runs without fsync here
      'store.extraArgs=["--allow-data-loss"]',
      `gateway.serverNames=[${JSON.stringify(firstAddress)}]`,
    );
    cluster = new SmallCluster({ manifests, command });
    await cluster.start(PARTS);
    const ca = join(dir.path, 'ca.crt');
    writeFileSync(ca, cluster.secret('trial-tidegate-serving', 'ca.crt'));
    const token = cluster.secret('trial-tidegate-tokens', 'admin-token');
    await run('config', 'set-cluster', 'a', `--server=https://${firstAddress}:6443`, `--certificate-authority=${ca}`);
    await run('config', 'set-credentials', 'admin', `--token=${token}`);
    await run('config', 'set-context', 'a', '--cluster=a', '--user=admin', '--namespace=default');
    await run('config', 'use-context', 'a');
  });
  after(async () => {
    for (const child of watches) child.kill('SIGKILL');
    await cluster?.stop();
    await Promise.all([database?.stop(), nats?.stop()]);
    dir.remove();
  });

  test('The gateway accepts the token of the controllers, writes, reads and watches.', async () => {
    // the controllers create it through the gateway
    await until('the default namespace', async () =>
      (await run('get', 'namespaces', '-o', 'name')).includes('default'),
    );
    assert.equal(await run('auth', 'whoami', '-o', 'jsonpath={.status.userInfo.username}'), 'admin');
    const watch = startWatch();
    await run('create', 'configmap', 'first', '--from-literal=greeting=hi');
    assert.equal(await run('get', 'configmap', 'first', '-o', 'jsonpath={.data.greeting}'), 'hi');
    await until('the watch to receive it', () => watch.seen().includes('configmap/first'));
    watch.end();
  });

  test('The health service finds all parts by DNS.', async () => {
    await until('the board to show three parts', async () => {
      const { parts } = (await board(cluster.ipOf('health'))) as { parts: Array<{ part: string; state: string }> };
      return parts.length === 3 && parts.every(({ state }) => state === 'ok');
    });
    for (const part of ['gateway', 'store', 'watch']) assert.deepEqual(await addresses(part), [cluster.ipOf(part)]);
  });

  for (const [part, signal, how] of [
    ['store', 'SIGKILL', 'is killed'],
    ['watch', 'SIGTERM', 'is scaled down'],
  ] as const) {
    test(`Clients use a second ${part} after the first one ${how}.`, async () => {
      const watch = startWatch();
      const first = cluster.ipOf(part);
      const second = cluster.add(part);
      await until(`the health service to probe the second ${part}`, async () =>
        (await addresses(part)).includes(second),
      );
      await until(`the second ${part} to be ready`, () => cluster.isReady(second));
      const id = `${part}-${signal.toLowerCase()}`;
      await run('create', 'configmap', `two-${id}`);
      // clients of the first one already know the second, or find it now
      await cluster.remove(first, signal);
      await run('create', 'configmap', `one-${id}`);
      assert.match(await run('get', 'configmaps', '-o', 'name'), new RegExp(`configmap/one-${id}`));
      await until('the watch to continue', () => watch.seen().includes(`configmap/one-${id}`));
      watch.end();
      await until(`the first ${part} to disappear from the board`, async () => {
        const now = await addresses(part);
        return now.length === 1 && now[0] === second;
      });
    });
  }
});

function board(ip: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    get(`http://${ip}:6480/report.json`, (response) => {
      let text = '';
      response.on('data', (bytes: Buffer) => {
        text += bytes.toString();
      });
      response.on('end', () => resolve(JSON.parse(text)));
    }).on('error', reject);
  });
}
