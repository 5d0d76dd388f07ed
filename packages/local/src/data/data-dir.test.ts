import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from '../temporary-directory.ts';
import { dataDirAt, prepareDataDir } from './data-dir.ts';

test('A new data directory has a version file, and private directories for keys and logs.', () => {
  const dir = dataDirAt(join(temporaryDirectory(), 'a', 'b'));
  prepareDataDir(dir);
  assert.deepEqual(JSON.parse(readFileSync(dir.versionFile, 'utf8')), { format: 1 });
  for (const inner of [dir.certs, dir.logs]) assert.equal(statSync(inner).mode & 0o777, 0o700);
});

test('An existing data directory is accepted.', () => {
  const dir = dataDirAt(temporaryDirectory());
  prepareDataDir(dir);
  prepareDataDir(dir);
});

test('A data directory of a newer version is rejected, and not changed.', () => {
  const dir = dataDirAt(temporaryDirectory());
  writeFileSync(dir.versionFile, '{"format":99}');
  assert.throws(() => prepareDataDir(dir), /written by a newer version \(format 99, this one knows 1\)/);
  assert.equal(readFileSync(dir.versionFile, 'utf8'), '{"format":99}');
});

test('A directory with foreign files is rejected.', () => {
  const dir = dataDirAt(temporaryDirectory());
  writeFileSync(join(dir.path, 'thesis.txt'), '');
  assert.throws(() => prepareDataDir(dir), /has other files in it \(thesis\.txt\)/);
});

test('A path that cannot be a directory is rejected, and the error names the option.', () => {
  const file = join(temporaryDirectory(), 'file');
  writeFileSync(file, '');
  assert.throws(() => prepareDataDir(dataDirAt(join(file, 'below'))), /cannot write to .*--data-dir/);
});

test('A directory without write permission is rejected.', { skip: asRoot() }, () => {
  const path = join(temporaryDirectory(), 'closed');
  mkdirSync(path, { mode: 0o500 });
  assert.throws(() => prepareDataDir(dataDirAt(path)), /cannot write to .*EACCES.*--data-dir/);
});

function asRoot(): string | false {
  return process.getuid?.() === 0 ? 'root may write everywhere' : false;
}
