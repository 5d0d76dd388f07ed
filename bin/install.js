// Plain JavaScript for Node 20 and newer: installs the project's dependencies and its own Node where they are missing.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { accessSync, constants, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { constants as system } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
const OLDEST_NODE = 20;
const { signals } = system;

/** Prints one line that says what to do, and exits. */
export function fail(message) {
  process.stderr.write(`tidegate: ${message}\n`);
  process.exit(1);
}

/** Installs the dependencies of the lock file if they are missing. Returns the path of the pinned Node. */
export async function ensureInstalled() {
  const major = Number(process.versions.node.split('.')[0]);
  if (major < OLDEST_NODE) {
    fail(
      `Node ${process.versions.node} is too old: install Node ${OLDEST_NODE} or newer (the project brings the Node it runs on itself)`,
    );
  }
  const stamp = join(root, 'node_modules', '.tidegate-installed');
  const wanted = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== wanted) {
    await install();
    try {
      writeFileSync(stamp, wanted);
    } catch {
      fail(`cannot write to ${root}: make it writable for this user, or clone it elsewhere`);
    }
  }
  return pinnedNode();
}

/** shorter timeouts: without a network npm's own would take minutes for each package */
const IMPATIENT = ['--fetch-retries=2', '--fetch-retry-mintimeout=1000', '--fetch-retry-maxtimeout=5000'];
const NETWORK_AWAY = /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ENETUNREACH|EHOSTUNREACH|ETIMEDOUT|ENOTCACHED/;
/** after so many failures without a success the network counts as missing */
const FAILURES_THAT_TELL = 6;

async function install() {
  const started = Date.now();
  const terminal = process.stderr.isTTY;
  const say = () => {
    const seconds = Math.round((Date.now() - started) / 1000);
    process.stderr.write(
      terminal ? `\r\x1b[K  installing dependencies  ${seconds} s` : `installing dependencies  ${seconds} s\n`,
    );
  };
  say();
  const ticking = setInterval(say, terminal ? 1000 : 10_000);
  let outcome = await runNpm(IMPATIENT);
  // the cache of an earlier install may be enough without a network
  if (outcome.networkAway) outcome = await runNpm(['--offline']);
  clearInterval(ticking);
  if (terminal) process.stderr.write('\r\x1b[K');
  if (outcome.code !== 0) explain(outcome);
  process.stderr.write(`  dependencies installed in ${Math.round((Date.now() - started) / 1000)} s\n`);
}

// Not `npm ci`: it refuses a lock file that lacks the entries of platforms whose builds a registry did not carry.
function runNpm(flags) {
  const args = ['install', '--no-save', '--no-audit', '--no-fund', '--loglevel=http', ...flags];
  return new Promise((resolve) => {
    const child = spawn('npm', args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    let failures = 0;
    let networkAway = false;
    const hear = (chunk) => {
      output += chunk;
      if (/ fetch GET 200 /.test(chunk)) failures = Number.NEGATIVE_INFINITY;
      failures += chunk.split('\n').filter((line) => / failed with /.test(line) && NETWORK_AWAY.test(line)).length;
      if (failures < FAILURES_THAT_TELL || networkAway) return;
      networkAway = true;
      child.kill();
    };
    child.stdout.setEncoding('utf8').on('data', hear);
    child.stderr.setEncoding('utf8').on('data', hear);
    child.on('error', (error) => resolve({ code: 1, output: String(error), npmMissing: error.code === 'ENOENT' }));
    child.on('close', (code) => resolve({ code, output, networkAway }));
  });
}

function explain({ output, npmMissing }) {
  if (npmMissing) fail('npm is missing: install it (it comes with Node), then try again');
  const words = output.split('\n').filter((line) => !/^npm (http|warn|notice)/.test(line));
  if (NETWORK_AWAY.test(words.join('\n'))) {
    fail(
      'the dependencies could not be fetched: the first start needs the network (or an npm cache); later starts do not',
    );
  }
  if (/EACCES|EPERM|EROFS/.test(output)) {
    fail(`cannot write to ${root}: make it writable for this user, or clone it elsewhere`);
  }
  process.stderr.write(`${words.join('\n').trim()}\n`);
  fail('npm install failed; its output is above');
}

/** The Node of the project's dependencies. Where npm's install scripts are disabled, it is downloaded now. */
function pinnedNode() {
  const node = join(root, 'node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  if (!existsSync(node)) {
    spawnSync(process.execPath, ['installArchSpecificPackage.js'], {
      cwd: join(root, 'node_modules', 'node'),
      stdio: 'ignore',
    });
  }
  if (!existsSync(node))
    fail('the pinned Node is missing: run `npm install --ignore-scripts=false` once, with the network');
  return node;
}

/**
 * Runs a program on the pinned Node in the foreground, and exits with its code. With `lifeline` all signals are passed on
 * to it (it ignores a Ctrl-C that arrives twice), and a closed channel tells it when this process is killed. Without
 * `lifeline` it gets Ctrl-C only from the terminal.
 */
export function runPinned(node, args, { lifeline = false } = {}) {
  const child = spawn(node, args, {
    stdio: lifeline ? ['inherit', 'inherit', 'inherit', 'ipc'] : 'inherit',
    env: {
      ...process.env,
      ...compileCache(),
      TURBO_TELEMETRY_DISABLED: '1',
      DO_NOT_TRACK: '1',
      PATH: `${dirname(node)}:${join(root, 'node_modules', '.bin')}:${process.env.PATH}`,
    },
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => (lifeline || signal !== 'SIGINT') && child.kill(signal));
  }
  child.on('error', (error) => fail(`${node} does not run (${error.message}): remove node_modules and try again`));
  child.on('close', (code, signal) => process.exit(signal ? 128 + (signals[signal] ?? 0) : (code ?? 1)));
}

/** Later starts use compiled code from a cache, if the cache can be written. */
function compileCache() {
  if (process.env.NODE_COMPILE_CACHE) return {};
  const dir = join(process.env.TIDEGATE_CACHE_DIR ?? join(root, '.cache'), 'compile');
  try {
    mkdirSync(dir, { recursive: true });
    accessSync(dir, constants.W_OK);
    return { NODE_COMPILE_CACHE: dir };
  } catch {
    return {};
  }
}
