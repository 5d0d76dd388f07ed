import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { dataDirAt, projectRoot, readRunState } from '@tidegate/local';
import type { Endpoint } from '@tidegate/testkit';

/** A system that was started as users start it. */
export interface StartedSystem {
  readonly endpoint: Endpoint;
  /** from the start of the command until it says that the system is ready */
  readonly readyMs: number;
  stop(): Promise<void>;
}

/** Runs `tidegate start` from the sources on a free port; a missing data directory is created. */
export async function startSystem(dataDir: string): Promise<StartedSystem> {
  const begun = performance.now();
  const args = [join(projectRoot, 'bin', 'tidegate.js'), 'start', '--port=0', `--data-dir=${dataDir}`];
  const env = Object.entries(process.env).filter(([name]) => !name.startsWith('TIDEGATE_'));
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: Object.fromEntries(env),
  });
  const exited = new Promise((resolve) => child.once('close', resolve));
  let output = '';
  await new Promise<void>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
        if (output.includes(' is ready at ')) resolve();
      });
    }
    void exited.then(() => reject(new Error(`tidegate did not start:\n${output}`)));
  });
  const readyMs = performance.now() - begun;
  const dir = dataDirAt(dataDir);
  return {
    endpoint: {
      server: readRunState(dir.runFile)?.server as string,
      token: readFileSync(dir.tokens, 'utf8').split(',')[0] as string,
      caFile: join(dir.certs, 'ca.crt'),
    },
    readyMs,
    async stop() {
      child.kill('SIGTERM');
      await exited;
    },
  };
}
