import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projectRoot } from '@tidegate/local';
import { needs, type ToolName } from '@tidegate/testkit';

const run = promisify(execFile);
/** A download that takes longer is given up, and the test is skipped. */
const FETCH_MS = 150_000;
const LONG_FETCH_MS = 600_000;
const BUILD_MS = 1_500_000;
const RUN_MS = 120_000;

/** How a client in another language is installed, in its own folder with a copy of its sources. */
export interface ForeignClient {
  readonly language: string;
  readonly toolchain: ToolName;
  /** a command that succeeds if the toolchain is available */
  readonly probe: readonly string[];
  /** commands that download dependencies; they fail without a network */
  readonly fetch: ReadonlyArray<readonly string[]>;
  /** commands that build our sources; a failure fails the test */
  readonly build?: ReadonlyArray<readonly string[]>;
  readonly env?: Readonly<Record<string, string>>;
  /** only long tests build it; other tests use it if it is already built */
  readonly takesMinutes?: boolean;
  /** the command line that runs the program, from that folder */
  command(home: string): readonly string[];
}

export type Installation = { readonly home: string } | { readonly why: string };

/** Installs the client into the project's cache unless it is there, or returns why that is not possible. */
export async function install(client: ForeignClient, allowLongBuild: boolean): Promise<Installation> {
  const { language, toolchain, probe, fetch, build = [] } = client;
  const sources = join(projectRoot, 'test/clients', language);
  const cache = join(process.env.TIDEGATE_CACHE_DIR ?? join(projectRoot, '.cache'), 'clients');
  const home = join(cache, `${language}-${hashOf(client, sources)}`);
  if (existsSync(home)) {
    if (build.length === 0) cpSync(sources, home, { recursive: true });
    return { home };
  }
  try {
    await run(probe[0] as string, probe.slice(1));
  } catch {
    return { why: needs(toolchain) };
  }
  if (client.takesMinutes && !allowLongBuild) return { why: 'npm run test:long builds it' };
  mkdirSync(cache, { recursive: true });
  const work = mkdtempSync(join(cache, `${language}-making-`));
  try {
    cpSync(sources, work, { recursive: true });
    for (const step of fetch) {
      const failed = await runStep(step, work, client, allowLongBuild ? LONG_FETCH_MS : FETCH_MS);
      if (failed !== undefined) return { why: failed };
    }
    for (const step of build) assert.equal(await runStep(step, work, client, BUILD_MS), undefined);
    if (existsSync(home)) return { home };
    renameSync(work, home);
    return { home };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Runs the client and returns what it prints, which is one line of JSON. */
export async function runClient(
  client: ForeignClient,
  home: string,
  { args, env = {} }: { args: readonly string[]; env?: Record<string, string> },
): Promise<Record<string, unknown>> {
  const [program = '', ...first] = client.command(home);
  const options = { cwd: home, env: { ...process.env, ...client.env, ...env }, timeout: RUN_MS };
  const { stdout } = await run(program, [...first, ...args], options);
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Record<string, unknown>;
}

interface ExecFailure {
  readonly stderr: string;
  readonly stdout: string;
  readonly killed: boolean;
}

async function runStep(
  [program = '', ...args]: readonly string[],
  cwd: string,
  { env }: ForeignClient,
  timeout: number,
): Promise<string | undefined> {
  try {
    await run(program, args, { cwd, env: { ...process.env, ...env }, timeout, maxBuffer: 64 << 20 });
    return undefined;
  } catch (error) {
    const { stderr = '', stdout = '', message, killed } = error as Error & Partial<ExecFailure>;
    const reason = killed ? `timed out after ${timeout / 1000} s` : stderr.trim() || stdout.trim() || message;
    return `${program} ${args[0] ?? ''} failed: ${reason.slice(-600).replaceAll('\n', ' ')}`;
  }
}

function hashOf({ fetch, build = [], env = {} }: ForeignClient, sources: string): string {
  const hash = createHash('sha256').update(JSON.stringify([fetch, build, env, process.arch]));
  // sources of clients without a build are copied each time
  for (const entry of build.length === 0 ? [] : readdirSync(sources, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) hash.update(entry.name).update(readFileSync(join(entry.parentPath, entry.name)));
  }
  return hash.digest('hex').slice(0, 12);
}
