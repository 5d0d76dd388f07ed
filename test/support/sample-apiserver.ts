import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort, serverPair, temporaryDir } from '@tidegate/testkit';
import { programPath, whyNoProgram } from './cached-go-program.ts';

const SAMPLE = { name: 'sample-apiserver', modules: ['k8s.io/sample-apiserver@v0.35.4'] };
const ETCD = { name: 'etcd', modules: ['go.etcd.io/etcd/server/v3@v3.6.5'] };

/** Why the sample server is not available, or undefined if it is. */
export function whyNoSample(): string | undefined {
  return whyNoProgram(SAMPLE) ?? (hasEtcd() ? undefined : whyNoProgram(ETCD));
}

function hasEtcd(): boolean {
  return spawnSync('etcd', ['--version']).status === 0;
}

export interface SampleApiserver {
  readonly port: number;
  /** in base64 */
  readonly caBundle: string;
  stop(): Promise<void>;
}

/** Starts the published sample of an aggregated server, for the Service `wardle` of `default`, with its own etcd. */
export async function startSample(kubeconfig: string): Promise<SampleApiserver> {
  const dir = temporaryDir('sample-apiserver');
  const [clients, peers, port] = [await freePort(), await freePort(), await freePort()];
  const { ca, cert, key } = await serverPair(['wardle.default.svc']);
  const [certFile, keyFile] = [join(dir.path, 'tls.crt'), join(dir.path, 'tls.key')];
  writeFileSync(certFile, cert);
  writeFileSync(keyFile, key);
  const etcdUrl = `http://127.0.0.1:${clients}`;
  const etcd = spawn(hasEtcd() ? 'etcd' : programPath(ETCD), [
    `--data-dir=${join(dir.path, 'etcd')}`,
    `--listen-client-urls=${etcdUrl}`,
    `--advertise-client-urls=${etcdUrl}`,
    `--listen-peer-urls=http://127.0.0.1:${peers}`,
  ]);
  const sample = spawn(programPath(SAMPLE), [
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
      for (const child of processes) await stopProcess(child);
      dir.remove();
    },
  };
}

async function stopProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, 'close');
  child.kill('SIGKILL');
  await closed;
}
