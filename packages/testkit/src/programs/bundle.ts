import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { PROGRAM_SOURCES, projectRoot } from '@tidegate/local';
import { build, type Plugin, stop } from 'esbuild';

export type Program = keyof typeof PROGRAM_SOURCES;

/** What modules of CommonJS ask for modules of Node; the names are ones that no module has itself. */
const REQUIRE = `import { createRequire as requireOfPrograms } from 'node:module';
const require = requireOfPrograms(${JSON.stringify(join(projectRoot, 'package.json'))});`;

/** Writes each program as one file, with everything that it imports. */
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
    plugins: [keepPlaces],
    logLevel: 'error',
  });
  // its process would stay, with 600 MiB
  await stop();
}

const PLACES = /\bimport\.meta\.(dirname|filename|url)\b|\b__(dirname|filename)\b/g;

/** A module that reads a file beside itself still finds it there. */
const keepPlaces: Plugin = {
  name: 'keep-places',
  setup({ onLoad }) {
    onLoad({ filter: /\.([cm]?js|ts)$/ }, ({ path }) => {
      const source = readFileSync(path, 'utf8');
      const contents = source.replace(PLACES, (_, ofModule?: string, ofScript?: string) =>
        JSON.stringify(placeOf(path, ofModule ?? ofScript)),
      );
      return contents === source ? undefined : { contents, loader: path.endsWith('.ts') ? 'ts' : 'js' };
    });
  },
};

function placeOf(path: string, name: string | undefined): string {
  if (name === 'url') return pathToFileURL(path).href;
  return name === 'dirname' ? dirname(path) : path;
}
