// Plain JavaScript that runs on Node 20: makes sure that the project's dependencies and its own Node are there.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { accessSync, constants, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { constants as system } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
const OLDEST_NODE = 20;
const { signals } = system;

/** One line that says what to do, and the end. */
export function fail(message) {
  process.stderr.write(`tidegate: ${message}\n`);
  process.exit(1);
}

/** Installs what the lock file says when it is not there yet, and answers the path of the pinned Node. */
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

const NO_NPM = 'no npm';
/** By its own times npm would say nothing for minutes where there is no network. */
const IMPATIENT = ['--fetch-retries=2', '--fetch-retry-mintimeout=1000', '--fetch-retry-maxtimeout=5000'];

// Not `npm ci`: it refuses a lock file that lacks the entries of platforms whose builds a registry did not carry.
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
  const { code, output } = await new Promise((resolve) => {
    const child = spawn('npm', ['install', '--no-save', '--no-audit', '--no-fund', '--loglevel=error', ...IMPATIENT], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, npm_config_loglevel: 'error' },
    });
    let text = '';
    child.stdout.on('data', (chunk) => (text += chunk));
    child.stderr.on('data', (chunk) => (text += chunk));
    child.on('error', (error) => resolve({ code: 1, output: error.code === 'ENOENT' ? NO_NPM : String(error) }));
    child.on('close', (exit) => resolve({ code: exit, output: text }));
  });
  clearInterval(ticking);
  if (terminal) process.stderr.write('\r\x1b[K');
  if (output === NO_NPM) fail('npm is missing: install it (it comes with Node), then try again');
  if (code !== 0) {
    process.stderr.write(`${output.trim()}\n`);
    if (/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ENETUNREACH|ETIMEDOUT|network/i.test(output)) {
      fail(
        'the dependencies could not be fetched: the first start needs the network (or an npm cache); later starts do not',
      );
    }
    if (/EACCES|EPERM|EROFS/.test(output))
      fail(`cannot write to ${root}: make it writable for this user, or clone it elsewhere`);
    fail('npm install failed; its words are above');
  }
  process.stderr.write(`  dependencies installed in ${Math.round((Date.now() - started) / 1000)} s\n`);
}

/** The Node of the project's own dependencies; where npm was told to run no install scripts, it is fetched now. */
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
 * Runs a program on the pinned Node in the foreground, and ends as it ends. Signals are its business: with `lifeline` it
 * gets all of them (it knows one Ctrl-C that comes twice), and notices by a channel when this process is killed; without,
 * Ctrl-C reaches it from the terminal only.
 */
export function runPinned(node, args, { lifeline = false } = {}) {
  const child = spawn(node, args, {
    stdio: lifeline ? ['inherit', 'inherit', 'inherit', 'ipc'] : 'inherit',
    env: {
      ...process.env,
      ...compileCache(),
      PATH: `${dirname(node)}:${join(root, 'node_modules', '.bin')}:${process.env.PATH}`,
    },
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => (lifeline || signal !== 'SIGINT') && child.kill(signal));
  }
  child.on('error', (error) => fail(`${node} does not run (${error.message}): remove node_modules and try again`));
  child.on('close', (code, signal) => process.exit(signal ? 128 + (signals[signal] ?? 0) : (code ?? 1)));
}

/** Later starts need not compile again; where the cache cannot be written they do without. */
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
