import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readFeatureGates } from '@tidegate/feature-gates';
import { requestInfo } from '@tidegate/request-info';
import { contentCoding } from './content-coding.ts';

const settings = { gates: readFeatureGates(''), compressionMinBytes: 1024 };
const MAPS = '/api/v1/namespaces/default/configmaps';

function gzipFrom(acceptEncoding: string, path = MAPS, method = 'GET'): number | undefined {
  const info = requestInfo(method, path);
  assert.ok(info !== undefined);
  const { name, fromBytes } = contentCoding(settings, info, acceptEncoding);
  return name === 'gzip' ? fromBytes : undefined;
}

const cases: ReadonlyArray<[string, number | undefined]> = [
  ['', undefined],
  ['gzip', 1024],
  ['x-gzip', 1024],
  ['GZip', 1024],
  ['*', 1024],
  ['deflate, gzip;q=1.0, *;q=0.5', 1024],
  ['gzip;q=0.1', 1024],
  ['gzip ; q=0.5 , identity;q=0.5', 1024],
  ['gzip;q=0.5, identity', undefined],
  ['gzip;q=0', undefined],
  ['gzip;q=0.000, *', undefined],
  ['*;q=0', undefined],
  ['identity', undefined],
  ['br, zstd', undefined],
  ['gzip;q=nonsense', undefined],
  ['gzip, identity;q=0', 0],
  ['gzip, *;q=0', 0],
  ['identity;q=0', undefined],
];

for (const [header, expected] of cases) {
  test(`${JSON.stringify(header)} means ${expected === undefined ? 'no gzip' : `gzip from ${expected} bytes`}`, () => {
    assert.equal(gzipFrom(header), expected);
  });
}

test('zstd is used only where the client prefers it to gzip', () => {
  const info = requestInfo('GET', MAPS);
  assert.ok(info !== undefined);
  const chosen = (header: string) => contentCoding(settings, info, header).name;
  for (const header of ['zstd', 'gzip;q=0.5, zstd', 'br, zstd', 'zstd, *;q=0.1', 'gzip;q=0, zstd'])
    assert.equal(chosen(header), 'zstd', header);
  for (const header of ['gzip, zstd', 'gzip, deflate, br, zstd', '*', 'zstd;q=0.5, *', 'zstd;q=0, gzip'])
    assert.equal(chosen(header), 'gzip', header);
  for (const header of ['zstd;q=0', 'zstd;q=0.5, identity']) assert.equal(chosen(header), undefined, header);
});

test('get, list and HEAD may be compressed; watches and writes never are', () => {
  assert.equal(gzipFrom('gzip', `${MAPS}/x`), 1024);
  assert.equal(gzipFrom('gzip', MAPS, 'HEAD'), 1024);
  assert.equal(gzipFrom('gzip', `${MAPS}?watch=1`), undefined);
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
    assert.equal(gzipFrom('gzip', `${MAPS}/x`, method), undefined);
});

test('the answer varies by the header, except when the feature gate is off', () => {
  const info = requestInfo('GET', MAPS);
  assert.ok(info !== undefined);
  assert.equal(contentCoding(settings, info, '').varies, true);
  const off = { ...settings, gates: readFeatureGates('APIResponseCompression=false') };
  assert.deepEqual(contentCoding(off, info, 'gzip, zstd'), { varies: false, name: undefined, fromBytes: 0 });
});
