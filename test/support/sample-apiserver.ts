import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort, serverPair, temporaryDir } from '@tidegate/testkit';
import { programAt, whyNoProgram } from './cached-go-program.ts';

const SAMPLE = { name: 'sample-apiserver', modules: ['k8s.io/sample-apiserver@v0.35.4'] };
const ETCD = { name: 'etcd', modules: ['go.etcd.io/etcd/server/v3@v3.6.5'] };

/** undefined where it can be had. */
export function whyNoSample(): string | undefined {
  return whyNoProgram(SAMPLE) ?? (isEtcdThere() ? undefined : whyNoProgram(ETCD));
}

function isEtcdThere(): boolean {
  return spawnSync('etcd', ['--version']).status === 0;
}

export interface SampleApiserver {
  readonly port: number;
  /** in base64 */
  readonly caBundle: string;
  stop(): Promise<void>;
}

/** The published sample of a server behind the API, as the Service `wardle` of `default`, with a store of its own. */
export async function startSample(kubeconfig: string): Promise<SampleApiserver> {
  const dir = temporaryDir('sample-apiserver');
  const [clients, peers, port] = [await freePort(), await freePort(), await freePort()];
  const { ca, cert, key } = await serverPair(['wardle.default.svc']);
  const [certFile, keyFile] = [join(dir.path, 'tls.crt'), join(dir.path, 'tls.key')];
  writeFileSync(certFile, cert);
  writeFileSync(keyFile, key);
  const etcdUrl = `http://127.0.0.1:${clients}`;
  const etcd = spawn(isEtcdThere() ? 'etcd' : programAt(ETCD), [
    `--data-dir=${join(dir.path, 'etcd')}`,
    `--listen-client-urls=${etcdUrl}`,
    `--advertise-client-urls=${etcdUrl}`,
    `--listen-peer-urls=http://127.0.0.1:${peers}`,
  ]);
  const sample = spawn(programAt(SAMPLE), [
    `--etcd-servers=${etcdUrl}`,
    '--bind-address=127.0.0.1',
    `--secure-port=${port}`,
    `--tls-cert-file=${certFile}`,
    `--tls-private-key-file=${keyFile}`,
    ...['kubeconfig', 'authentication-kubeconfig', 'authorization-kubeconfig'].map((name) => `--${name}=${kubeconfig}`),
  ]);
  const processes = [sample, etcd];
  for (const { stdout, stderr } of processes) for (const stream of [stdout, stderr]) stream.resume();
  return {
    port,
    caBundle: Buffer.from(ca).toString('base64'),
    stop: async () => {
      for (const child of processes) await ended(child);
      dir.remove();
    },
  };
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, 'close');
  child.kill('SIGKILL');
  await closed;
}
