import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { builtInRegistry } from '@tidegate/kinds';
import { projectRoot } from '@tidegate/local';
import type { JsonObject } from '@tidegate/schema';

const CORPUS = join(projectRoot, 'packages/kinds/corpus');

interface Corpus {
  readonly path: string;
  readonly cases: ReadonlyArray<{ valid: boolean; manifest: JsonObject; answer: { code: number } }>;
}

export interface Manifest {
  readonly url: string;
  readonly object: JsonObject;
}

/** The first valid manifest with a name for each kind. Kinds that share their storage get different names. */
export function manifests(): Manifest[] {
  const registry = builtInRegistry();
  const seen = new Set<string>();
  return globSync('*/*.json', { cwd: CORPUS })
    .sort()
    .flatMap((file): Manifest[] => {
      const { path, cases } = JSON.parse(readFileSync(join(CORPUS, file), 'utf8')) as Corpus;
      const valid = cases.find((one) => one.valid && (one.manifest.metadata as JsonObject)?.name !== undefined);
      const object = valid?.manifest;
      const [, group = '', version = ''] = /^\/(?:api|apis\/([^/]+))\/([^/]+)/.exec(path) ?? [];
      const kind = registry.find(group, version, path.split('/').at(-1) as string);
      if (object === undefined || kind === undefined || !kind.entry.verbs.includes('patch')) return [];
      const metadata = { ...(object.metadata as JsonObject) };
      if (seen.has(`${kind.storedAs}/${metadata.name}`)) metadata.name = `${metadata.name}-too`;
      seen.add(`${kind.storedAs}/${metadata.name}`);
      const named = { apiVersion: kind.apiVersion, kind: kind.entry.kind, ...object, metadata };
      return [{ url: `${path}/${metadata.name}`, object: named }];
    });
}
