import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { freePort, type TestTidegate, until } from '@tidegate/testkit';
import { localAnswer } from './local-answer.ts';

export interface Controllers {
  stop(): Promise<void>;
}

/** An unmodified kube-controller-manager beside a Tidegate; its files and its log go to `dir`. */
export async function startControllers(
  program: string,
  tidegate: TestTidegate,
  { dir, args = [] }: { dir: string; args?: readonly string[] },
): Promise<Controllers> {
  const port = await freePort();
  const all = [
    `--kubeconfig=${tidegate.kubeconfig}`,
    '--bind-address=127.0.0.1',
    `--secure-port=${port}`,
    `--cert-dir=${join(dir, 'controllers')}`,
    '--leader-elect=false',
    `--service-account-private-key-file=${join(tidegate.dataDir, 'certs', 'service-account.key')}`,
    `--root-ca-file=${tidegate.caFile}`,
    ...args,
  ];
  const child = spawn(program, all, { stdio: ['ignore', 'pipe', 'pipe'] });
  const end = () => child.kill();
  // also when a time limit ends the test's process
  process.once('exit', end);
  const log = createWriteStream(join(dir, 'controllers.log'));
  for (const stream of [child.stdout, child.stderr]) stream.pipe(log, { end: false });
  const ended = once(child, 'close');
  const healthy = async () => {
    if (child.exitCode !== null) throw new Error(`kube-controller-manager ended with ${child.exitCode}: ${log.path}`);
    return (await localAnswer(`https://127.0.0.1:${port}/healthz`)) === 200;
  };
  await until('kube-controller-manager to be well', healthy, 60_000);
  return {
    async stop() {
      process.off('exit', end);
      end();
      await ended;
      log.end();
    },
  };
}
