import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Workspace } from './import-rules.ts';

type Manifest = { name: string } & Partial<Record<(typeof DEPENDENCY_FIELDS)[number], Record<string, string>>>;

const DEPENDENCY_FIELDS = ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies'] as const;

/** Every folder of the checkout that has a package.json, the root included. */
export function readWorkspaces(root: string): Workspace[] {
  const manifests = globSync(
    ['package.json', '{packages,programs,services}/*/package.json', '{test,bench}/package.json'],
    {
      cwd: root,
    },
  );
  return manifests.sort().map((path) => {
    const manifest = JSON.parse(readFileSync(join(root, path), 'utf8')) as Manifest;
    const dependencies = DEPENDENCY_FIELDS.flatMap((field) => Object.keys(manifest[field] ?? {}));
    return { dir: dirname(path).replace(/^\.$/, ''), name: manifest.name, dependencies };
  });
}
