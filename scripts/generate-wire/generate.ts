import { execFileSync } from 'node:child_process';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The contracts between the parts. */
const CONTRACTS = '{grpc,tidegate}/**/*.proto';

/**
 * Types of decoded messages have the name of the message, with numbers for 64-bit integers. The types that protobufjs
 * accepts for encoding have the suffix Input; they allow more than this project uses.
 */
const OPTIONS = [
  '--longs=Number',
  '--defaults',
  '--includeComments',
  '--inputTemplate=%sInput',
  '--outputTemplate=%s',
  '--importFileExtension=.ts',
];

/**
 * Writes the types of all messages of proto/ into a directory: a file for each message, and for each Protobuf package a
 * file with its name that exports all of them.
 */
export function generateTypes(root: string, directory: string): void {
  const generator = join(root, 'node_modules/@grpc/proto-loader/build/bin/proto-loader-gen-types.js');
  // the generator writes the path of each contract into the file, so it is relative to be the same on every machine
  const contracts = globSync(CONTRACTS, { cwd: join(root, 'proto') }).sort();
  const args = [generator, ...OPTIONS, '-I', 'proto', '-O', directory, ...contracts];
  execFileSync(process.execPath, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });
  for (const [name, text] of packageFiles(directory)) writeFileSync(join(directory, name), text);
}

function packageFiles(directory: string): Map<string, string> {
  const files = new Map<string, string>();
  for (const path of [...filesIn(directory).keys()]) {
    const name = `${dirname(path).replaceAll('/', '.')}.ts`;
    files.set(name, `${files.get(name) ?? ''}export type * from './${path}';\n`);
  }
  return files;
}

/** The files of a directory and their texts, by path. */
export function filesIn(directory: string): Map<string, string> {
  const paths = globSync('**/*.ts', { cwd: directory }).sort();
  return new Map(paths.map((path) => [path, readFileSync(join(directory, path), 'utf8')]));
}
