import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, globSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestTidegate } from '@tidegate/testkit';

/** Beside kubectl, what the scripts call. */
const TOOLS = ['bash', 'jq', 'curl', 'tput', 'diff', 'awk', 'sed'];
const LIMIT_MS = 420_000;
/** What the scripts need of Kubernetes' module. */
const FOLDERS = [
  'test/cmd',
  'test/fixtures',
  'test/e2e/testing-manifests',
  'hack/lib',
  'hack/testdata',
  'third_party/forked/shell2junit',
];

/** undefined where the scripts can run. */
export function whyNoShellTests(): string | undefined {
  const missing = TOOLS.filter((tool) => spawnSync('bash', ['-c', `command -v ${tool}`]).status !== 0);
  if (missing.length > 0) return `needs ${missing.join(', ')} on the path`;
  const { stdout } = spawnSync('sed', ['--version'], { encoding: 'utf8' });
  return stdout.includes('GNU') ? undefined : 'needs GNU sed as sed on the path';
}

export interface ShellRun {
  /** undefined: it was ended because it took too long */
  readonly code: number | undefined;
  readonly log: string;
}

export interface ShellTests {
  /** Runs one function of the scripts, in a namespace of its own. */
  run(name: string): Promise<ShellRun>;
}

/**
 * Kubernetes' shell tests of kubectl, in a copy below `dir` that is changed where the scripts count on being started by
 * Kubernetes' own runner, which builds and starts a whole cluster first.
 */
export function prepareShellTests(
  { module, kubectl, dir }: { module: string; kubectl: string; dir: string },
  tidegate: TestTidegate,
  token: string,
): ShellTests {
  const source = join(dir, 'source');
  const temporary = join(dir, 'temporary');
  for (const folder of FOLDERS) cpSync(join(module, folder), join(source, folder), { recursive: true });
  for (const folder of [source, temporary]) makeWritable(folder);
  mkdirSync(join(source, '_output/bin'), { recursive: true });
  symlinkSync(kubectl, join(source, '_output/bin/kubectl'));
  edit(source);
  writeFileSync(join(dir, 'inline.sh'), inlineFunctions(readFileSync(join(source, LEGACY_SCRIPT), 'utf8')));
  writeFileSync(join(dir, 'driver.sh'), DRIVER);
  writeFileSync(join(dir, 'kubeconfig'), JSON.stringify(kubeconfigOf(tidegate.server, token)));
  // the scripts look for the server's certificate where their own runner makes it
  for (const end of ['crt', 'key']) {
    cpSync(join(tidegate.dataDir, 'certs', `serving.${end}`), join(temporary, `apiserver.${end}`));
  }
  const env = {
    ...process.env,
    SOURCE: source,
    PREPARED: dir,
    SECURE_API_PORT: new URL(tidegate.server).port,
    TMPDIR: temporary,
    KUBE_JUNIT_REPORT_DIR: join(dir, 'junit'),
    ALLOW_SKEW: 'true',
    TERM: 'xterm',
    LANG: 'C',
  };
  return { run: (name) => runLimited(['bash', join(dir, 'driver.sh'), name], env) };
}

const LEGACY_SCRIPT = 'test/cmd/legacy-script.sh';

/** Files of a Go module can only be read, and none of them can be executed. */
function makeWritable(folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const entry of globSync('**', { cwd: folder, withFileTypes: true })) {
    const isPlugin = entry.name.startsWith('kubectl-');
    chmodSync(join(entry.parentPath, entry.name), entry.isDirectory() || isPlugin ? 0o755 : 0o644);
  }
}

interface Edit {
  readonly files: string;
  readonly from: string;
  readonly to: string;
}

const EDITS: readonly Edit[] = [
  // one manifest is read from the web, and is in the module as well
  {
    files: 'test/cmd/*.sh',
    from: 'https://raw.githubusercontent.com/kubernetes/kubernetes/master/',
    to: '',
  },
  // functions are chosen by their full names: not all of them end alike
  { files: LEGACY_SCRIPT, from: 'record_command "run_$' + '{pkg}_tests"', to: 'record_command "$' + '{pkg}"' },
  // so that nothing stays behind
  { files: LEGACY_SCRIPT, from: '/tmp/record_command_canary', to: '"$TMPDIR"/record_command_canary' },
  // grep closes the pipe of sed early, which is an error under pipefail
  { files: 'third_party/forked/shell2junit/sh2ju.sh', from: 'LANG=C sed --help 2>&1 | grep -q GNU', to: 'true' },
];

/** An edit that finds nothing means that the scripts have changed. */
function edit(source: string): void {
  for (const { files, from, to } of EDITS) {
    let found = 0;
    for (const file of globSync(files, { cwd: source })) {
      const text = readFileSync(join(source, file), 'utf8');
      if (!text.includes(from)) continue;
      found++;
      writeFileSync(join(source, file), text.replaceAll(from, to));
    }
    if (found === 0) throw new Error(`nothing in ${files} says ${from}`);
  }
}

/** Two blocks that the scripts run between their functions become functions. */
function inlineFunctions(script: string): string {
  const lines = script.split('\n');
  const between = (first: string, last: string): string[] => {
    const start = lines.indexOf(first);
    const end = lines.indexOf(last, start);
    if (start < 0 || end < 0) throw new Error(`${LEGACY_SCRIPT} has no block from "${first}" to "${last}"`);
    return lines.slice(start, end);
  };
  return [
    ...shellFunction('run_inline_api_resources_tests', between('  # find all resources', '  ################')),
    // the line before the next heading is a row of number signs
    ...shellFunction(
      'run_inline_auth_can_i_tests',
      between('  # kubectl auth can-i', '  # Retrieve multiple #').slice(0, -1),
    ),
  ].join('\n');
}

function shellFunction(name: string, body: readonly string[]): string[] {
  return [`${name}() {`, 'set -o nounset', 'set -o errexit', ...body, 'set +o nounset', 'set +o errexit', '}', ''];
}

/** What the scripts' own runner does before the first function, without building and starting anything. */
const DRIVER = `set -o errexit -o nounset -o pipefail
cd "$SOURCE"
KUBE_ROOT="$SOURCE"
source hack/lib/init.sh
source hack/lib/test.sh
source test/cmd/legacy-script.sh
source "$PREPARED/inline.sh"
export SUPPORTED_RESOURCES=("*")
kube::util::trap_add stop-proxy EXIT
kube::util::ensure-temp-dir
HOME="$KUBE_TEMP"
unset KUBECONFIG
kube::util::ensure-gnu-sed
CONTEXT=test
mkdir -p "$HOME/.kube"
cp "$PREPARED/kubeconfig" "$HOME/.kube/config"
create_and_use_new_namespace
WHAT=$1
runTests
`;

/** The scripts know the context, the cluster and the user by these names. */
function kubeconfigOf(server: string, token: string): object {
  return {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'test',
    clusters: [{ name: 'local', cluster: { server, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'test-admin', user: { token } }],
    contexts: [{ name: 'test', context: { cluster: 'local', user: 'test-admin' } }],
  };
}

/** In a process group of its own: functions start proxies, which end with it. */
function runLimited([program = '', ...args]: readonly string[], env: NodeJS.ProcessEnv): Promise<ShellRun> {
  const child = spawn(program, args, { env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  let log = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      log += text;
    });
  }
  const endGroup = (signal: NodeJS.Signals) => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  };
  const limit = setTimeout(() => endGroup('SIGKILL'), LIMIT_MS);
  return new Promise((resolve) => {
    // what is left of the group would keep its output open
    child.once('exit', () => endGroup('SIGKILL'));
    child.once('close', (code) => {
      clearTimeout(limit);
      resolve({ code: code ?? undefined, log });
    });
  });
}
