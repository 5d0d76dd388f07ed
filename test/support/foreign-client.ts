import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projectRoot } from '@tidegate/local';
import { needs, type ToolName } from '@tidegate/testkit';

const run = promisify(execFile);
/** Whoever does not have it yet gets it by then, or goes on without it. */
const FETCH_MS = 150_000;
const PATIENT_FETCH_MS = 600_000;
const BUILD_MS = 1_500_000;
const RUN_MS = 120_000;

/** How a client in another language is made ready, in a folder of its own that holds a copy of its sources. */
export interface ForeignClient {
  readonly language: string;
  readonly toolchain: ToolName;
  /** says that it is there */
  readonly probe: readonly string[];
  /** what must be had from elsewhere: without the network it cannot be */
  readonly fetch: ReadonlyArray<readonly string[]>;
  /** what our own sources need then: that it fails is our fault */
  readonly build?: ReadonlyArray<readonly string[]>;
  readonly env?: Readonly<Record<string, string>>;
  /** it is made by the long tests; the others take it when it is there */
  readonly takesMinutes?: boolean;
  /** the program, run in that folder */
  command(home: string): readonly string[];
}

export type Ready = { readonly home: string } | { readonly why: string };

/** Installs it into the project's cache, unless it is there, or says why that cannot be. */
export async function ready(client: ForeignClient, patient: boolean): Promise<Ready> {
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
  if (client.takesMinutes && !patient) return { why: 'npm run test:long builds it' };
  mkdirSync(cache, { recursive: true });
  const work = mkdtempSync(join(cache, `${language}-making-`));
  try {
    cpSync(sources, work, { recursive: true });
    for (const step of fetch) {
      const failed = await failureOf(step, work, client, patient ? PATIENT_FETCH_MS : FETCH_MS);
      if (failed !== undefined) return { why: failed };
    }
    for (const step of build) assert.equal(await failureOf(step, work, client, BUILD_MS), undefined);
    if (existsSync(home)) return { home };
    renameSync(work, home);
    return { home };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** What the program prints, which is one line of JSON. */
export async function answerOf(
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

async function failureOf(
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
    const words = killed ? `not done after ${timeout / 1000} s` : stderr.trim() || stdout.trim() || message;
    return `${program} ${args[0] ?? ''} failed: ${words.slice(-600).replaceAll('\n', ' ')}`;
  }
}

function hashOf({ fetch, build = [], env = {} }: ForeignClient, sources: string): string {
  const hash = createHash('sha256').update(JSON.stringify([fetch, build, env, process.arch]));
  // what is not built is copied anew each time
  for (const entry of build.length === 0 ? [] : readdirSync(sources, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) hash.update(entry.name).update(readFileSync(join(entry.parentPath, entry.name)));
  }
  return hash.digest('hex').slice(0, 12);
}
