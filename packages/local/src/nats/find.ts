import { execFile } from 'node:child_process';
import { accessSync, constants, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { natsSources, PINNED_VERSION, type Source, type SourceContext } from './sources.ts';

/** older servers lack features of JetStream that the clients need */
const MIN_VERSION = [2, 9];
/** after all sources have failed, later starts do not try them again for this long */
const FORGET_FAILURE_MS = 3600_000;

export type NatsFound =
  | { readonly kind: 'found'; readonly path: string; readonly description: string }
  | { readonly kind: 'none'; readonly reason: string };

interface FindOptions {
  readonly cacheDir: string;
  readonly env: NodeJS.ProcessEnv;
  readonly closing: AbortSignal;
  /** shows a line during the work */
  readonly during: <T>(text: string, work: Promise<T>) => Promise<T>;
  readonly sources?: readonly Source[];
}

/** Finds nats-server on the path, in the project's cache, or in the first source that has it. */
export async function findNats(options: FindOptions): Promise<NatsFound> {
  const { cacheDir, env } = options;
  const sources = options.sources ?? natsSources;
  for (const dir of (env.PATH ?? '').split(delimiter)) {
    const path = join(dir, 'nats-server');
    const version = dir === '' ? undefined : await versionOf(path);
    if (version !== undefined) return { kind: 'found', path, description: `NATS ${version} from the path` };
  }
  for (const source of sources) {
    const path = cachedAt(cacheDir, source);
    const version = await versionOf(path);
    if (version !== undefined) return { kind: 'found', path, description: `NATS ${version}, ${source.description}` };
  }
  const marker = join(cacheDir, 'nats-not-found');
  if (Date.now() - (statSync(marker, { throwIfNoEntry: false })?.mtimeMs ?? 0) < FORGET_FAILURE_MS) {
    return { kind: 'none', reason: `a recent attempt to fetch it failed; the reasons are in ${marker}` };
  }
  return fetchFrom(sources, marker, options);
}

async function fetchFrom(sources: readonly Source[], marker: string, options: FindOptions): Promise<NatsFound> {
  const reasons: string[] = [];
  for (const source of sources) {
    const target = cachedAt(options.cacheDir, source);
    const work = `${target}.${process.pid}.work`;
    const context: SourceContext = { workDir: work, target, env: options.env, closing: options.closing };
    try {
      mkdirSync(work, { recursive: true });
      await options.during(source.doing, source.fetch(context));
      const version = await versionOf(target);
      if (version !== undefined)
        return { kind: 'found', path: target, description: `NATS ${version}, ${source.description}` };
      reasons.push(`${source.name}: the fetched program does not run`);
    } catch (error) {
      if (options.closing.aborted) throw error;
      reasons.push(`${source.name}: ${firstLine(error)}`);
    } finally {
      rmSync(work, { recursive: true, force: true });
    }
  }
  writeFileSync(marker, `${reasons.join('\n')}\n`);
  return { kind: 'none', reason: `fetching it failed; the reasons are in ${marker}` };
}

function cachedAt(cacheDir: string, source: Source): string {
  const folder = source.pinned ? `nats-server-v${PINNED_VERSION}` : `nats-server-from-${source.name}`;
  return join(cacheDir, folder, 'nats-server');
}

/** undefined where there is no such program, it does not run, or it is too old */
async function versionOf(path: string): Promise<string | undefined> {
  try {
    accessSync(path, constants.X_OK);
    const { stdout } = await promisify(execFile)(path, ['--version'], { timeout: 5000 });
    const match = /v(\d+)\.(\d+)\.\d+\S*/.exec(stdout);
    if (match === null) return undefined;
    const [major, minor] = [Number(match[1]), Number(match[2])];
    const [oldestMajor, oldestMinor] = MIN_VERSION as [number, number];
    return major > oldestMajor || (major === oldestMajor && minor >= oldestMinor) ? match[0].slice(1) : undefined;
  } catch {
    // an error of the program, or no version in its output: it is not used
    return undefined;
  }
}

function firstLine(error: unknown): string {
  const { stderr, message } = error as { stderr?: string; message?: string };
  const text = (stderr ?? '').trim() || (message ?? String(error));
  return text.split('\n')[0]?.slice(0, 200) ?? '';
}
