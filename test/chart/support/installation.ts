import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDir } from '@tidegate/testkit';
import { helm } from '../../support/helm.ts';
import { kubectl } from '../../support/kubectl.ts';
import { chart, fileOf, type Manifest } from './render.ts';

interface CommandResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs helm and kubectl in one namespace of an API server. */
export class Installation {
  readonly #kubeconfig: string;
  readonly #namespace: string;
  readonly #home = temporaryDir('installation');

  constructor(kubeconfig: string, namespace: string) {
    this.#kubeconfig = kubeconfig;
    this.#namespace = namespace;
  }

  /** `helm COMMAND trial [chart]`: fails unless it exits with 0 and without warnings. */
  async helm(command: 'install' | 'upgrade' | 'rollback' | 'uninstall', ...args: string[]): Promise<string> {
    const takesChart = command === 'install' || command === 'upgrade';
    const all = [command, 'trial', ...(takesChart ? [chart] : []), ...args];
    const { code, stdout, stderr } = await this.#helm(all);
    assert.equal(code, 0, `helm ${all.join(' ')}: ${stderr}`);
    assert.equal(stderr, '', 'a warning');
    return stdout;
  }

  install(values: string, ...args: string[]): Promise<string> {
    return this.helm('install', '--create-namespace', '-f', fileOf(values), ...args);
  }

  /** The objects of a resource, by name. */
  async objects(resource: string): Promise<Map<string, Manifest>> {
    return new Map((await this.list(resource)).map((one) => [one.metadata.name, one]));
  }

  async list(resources: string): Promise<readonly Manifest[]> {
    return JSON.parse(await this.kubectl('get', resources, '-o', 'json')).items;
  }

  async kubectl(...args: string[]): Promise<string> {
    const all = ['--namespace', this.#namespace, ...args];
    const { code, stdout, stderr } = await kubectl(this.#kubeconfig, all, { HOME: this.#home.path });
    assert.equal(code, 0, `kubectl ${args.join(' ')}: ${stderr}`);
    return stdout;
  }

  /** Runs lines in a shell. */
  shell(lines: readonly string[]): Promise<CommandResult> {
    const env = { ...process.env, HOME: this.#home.path, KUBECONFIG: this.#kubeconfig };
    return run('bash', ['-e', '-c', lines.join('\n')], { cwd: this.#home.path, env });
  }

  /** Reads a file from the working directory of the shell. */
  fileText(name: string): string {
    return readFileSync(join(this.#home.path, name), 'utf8');
  }

  /** Returns the path. */
  write(name: string, text: string): string {
    const file = join(this.#home.path, name);
    writeFileSync(file, text);
    return file;
  }

  close(): void {
    this.#home.remove();
  }

  #helm(args: readonly string[]): Promise<CommandResult> {
    const all = ['--kubeconfig', this.#kubeconfig, '--namespace', this.#namespace, ...args];
    return run(helm, all, { env: { ...process.env, HOME: this.#home.path } });
  }
}

function run(program: string, args: readonly string[], options: object): Promise<CommandResult> {
  return new Promise((resolve) => {
    execFile(program, [...args], { timeout: 60_000, maxBuffer: 64 << 20, ...options }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1;
      resolve({ code, stdout: String(stdout), stderr: String(stderr) });
    });
  });
}
