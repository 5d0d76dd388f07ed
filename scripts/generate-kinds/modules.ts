import { execFileSync } from 'node:child_process';

/** The published descriptors, by module. */
export const MODULES = {
  api: 'k8s.io/api@v0.35.4',
  apimachinery: 'k8s.io/apimachinery@v0.35.4',
  apiextensions: 'k8s.io/apiextensions-apiserver@v0.35.4',
  aggregator: 'k8s.io/kube-aggregator@v0.35.4',
  kubernetes: 'k8s.io/kubernetes@v1.35.4',
} as const;

export type ModuleFolders = Readonly<Record<keyof typeof MODULES, string>>;

/** Downloads and verifies the modules with Go's own proxy settings, and returns their folders in Go's cache. */
export function downloadModules(): ModuleFolders {
  const text = execFileSync('go', ['mod', 'download', '-json', ...Object.values(MODULES)], {
    encoding: 'utf8',
    maxBuffer: 1 << 24,
    // this checkout is not a Go module
    env: { ...process.env, GOFLAGS: '-mod=mod' },
  });
  const downloads = JSON.parse(`[${text.replaceAll(/^\}\n\{/gm, '},{')}]`) as Array<{
    Path: string;
    Version: string;
    Dir: string;
  }>;
  const folderOf = (wanted: string): string => {
    const found = downloads.find(({ Path, Version }) => `${Path}@${Version}` === wanted);
    if (found === undefined) throw new Error(`Go did not download ${wanted}`);
    return found.Dir;
  };
  return Object.fromEntries(Object.entries(MODULES).map(([name, wanted]) => [name, folderOf(wanted)])) as ModuleFolders;
}
