import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { PROGRAM_SOURCES, projectRoot } from '@tidegate/local';
import { build, type Plugin, stop } from 'esbuild';

export type Program = keyof typeof PROGRAM_SOURCES;

/** Defines `require` for CommonJS modules in the bundle; the import has a name that no module uses. */
const REQUIRE = `import { createRequire as requireOfPrograms } from 'node:module';
const require = requireOfPrograms(${JSON.stringify(join(projectRoot, 'package.json'))});`;

/** Bundles each program with all its imports into one file. */
export async function bundle(directory: string): Promise<void> {
  await build({
    entryPoints: Object.fromEntries(
      Object.entries(PROGRAM_SOURCES).map(([name, main]) => [name, join(projectRoot, main)]),
    ),
    outdir: directory,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: `node${process.versions.node}`,
    banner: { js: REQUIRE },
    define: { 'globalThis.tidegatePrograms': 'import.meta.dirname' },
    plugins: [keepPaths],
    logLevel: 'error',
  });
  // esbuild's process would keep running, with 600 MiB
  await stop();
}

const PATHS = /\bimport\.meta\.(dirname|filename|url)\b|\b__(dirname|filename)\b/g;

/** Replaces the path of each module by a literal, so that it still finds files beside its source. */
const keepPaths: Plugin = {
  name: 'keep-paths',
  setup({ onLoad }) {
    onLoad({ filter: /\.([cm]?js|ts)$/ }, ({ path }) => {
      const source = readFileSync(path, 'utf8');
      const contents = source.replace(PATHS, (_, ofModule?: string, ofScript?: string) =>
        JSON.stringify(pathValue(path, ofModule ?? ofScript)),
      );
      return contents === source ? undefined : { contents, loader: path.endsWith('.ts') ? 'ts' : 'js' };
    });
  },
};

function pathValue(path: string, name: string | undefined): string {
  if (name === 'url') return pathToFileURL(path).href;
  return name === 'dirname' ? dirname(path) : path;
}
