import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startTidegate, type TestTidegate, until } from '@tidegate/testkit';
import { parseSteps, type Step, withOutputs } from './support/documentation-page.ts';
import { findKubectl } from './support/kubectl.ts';

export const PAGE = fileURLToPath(new URL('../docs/quickstart.md', import.meta.url));

/** Runs the commands of the page against a new system and returns their outputs. */
export async function runPage(page: string): Promise<string[]> {
  const tidegate = await startTidegate();
  const home = mkdtempSync(join(tmpdir(), 'tidegate-quickstart-'));
  try {
    return await runSteps(tidegate, parseSteps(page), home);
  } finally {
    await tidegate.stop();
    rmSync(home, { recursive: true, force: true });
  }
}

async function runSteps(tidegate: TestTidegate, steps: readonly Step[], home: string): Promise<string[]> {
  const kubectl = findKubectl();
  const path = kubectl.includes('/') ? `${dirname(kubectl)}${delimiter}${process.env.PATH}` : process.env.PATH;
  const env = { ...process.env, PATH: path, HOME: home, KUBECONFIG: tidegate.kubeconfig };
  await until('the system namespaces', () => spawnSync('kubectl', ['get', 'ns', 'kube-system'], { env }).status === 0);
  const outputs: string[] = [];
  const watching: Array<{ child: ChildProcess; at: number }> = [];
  for (const [at, step] of steps.entries()) {
    if (step.background) {
      const child = spawn('sh', ['-c', `exec ${step.command}`], { env });
      watching.push({ child, at });
      outputs[at] = '';
      child.stdout?.setEncoding('utf8').on('data', (text: string) => {
        outputs[at] += text;
      });
      await until(`the first lines of ${step.command}`, () => outputs[at]?.includes('\n'));
    } else
      outputs[at] = spawnSync('sh', ['-c', `${step.command} 2>&1`], { env, encoding: 'utf8', timeout: 30_000 }).stdout;
  }
  for (const { child } of watching) child.kill();
  return outputs;
}

/** `node test/quickstart.ts --record` writes the outputs of the commands into the page. */
if (process.argv.includes('--record')) {
  const page = readFileSync(PAGE, 'utf8');
  writeFileSync(PAGE, withOutputs(page, await runPage(page)));
}
