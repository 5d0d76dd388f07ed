import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeScalar } from './scalars.ts';
import type { ScalarType } from './schema.ts';

const kept: ReadonlyArray<[ScalarType, string | number | boolean, string | number | boolean]> = [
  ['quantity', '0.5', '500m'],
  ['quantity', 0.5, '500m'],
  ['quantity', '1024Mi', '1Gi'],
  ['quantity', '1.5Gi', '1536Mi'],
  ['quantity', '0.5Ki', '512'],
  ['quantity', '1000m', '1'],
  ['quantity', '1000k', '1M'],
  ['quantity', '1e3', '1e3'],
  ['quantity', '1E3', '1E3'],
  ['quantity', '12e4', '120e3'],
  ['quantity', '100000e-3', '100'],
  ['quantity', '0.0001n', '1n'],
  ['quantity', '-0.25', '-250m'],
  ['quantity', '0Ki', '0'],
  ['quantity', '+2', '+2'],
  ['quantity', '1.234', '1.234'],
  ['quantity', '1.500', '1.500'],
  ['quantity', '1.50', '1500m'],
  ['quantity', '123456789012345678901234', '123456789012345678901234'],
  ['quantity', '100', '100'],
  ['quantity', '2147483648', '2147483648'],
  ['time', '2020-01-02T03:04:05Z', '2020-01-02T03:04:05Z'],
  ['time', '2020-01-02T03:04:05.9+02:00', '2020-01-02T01:04:05Z'],
  ['microTime', '2020-01-02T03:04:05.123456-01:00', '2020-01-02T04:04:05.123456Z'],
  ['intOrString', '50%', '50%'],
  ['intOrString', 8080, 8080],
  ['int32', -2147483648, -2147483648],
];
for (const [type, given, value] of kept) {
  test(`the ${type} ${JSON.stringify(given)} is stored as ${JSON.stringify(value)}`, () => {
    assert.deepEqual(decodeScalar(type, given), { value });
  });
}

const QUANTITY = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const LAYOUT = '"2006-01-02T15:04:05Z07:00"';
const refused: ReadonlyArray<[ScalarType, string | number | boolean, object]> = [
  ['quantity', 'big', { problem: QUANTITY }],
  ['quantity', '', { problem: QUANTITY }],
  ['quantity', true, { problem: QUANTITY }],
  ['quantity', '1KiB', { problem: QUANTITY }],
  ['quantity', '1K', { problem: "unable to parse quantity's suffix" }],
  ['int32', 2147483648, { wanted: 'int32', found: 'number 2147483648' }],
  ['int32', '1', { wanted: 'int32' }],
  ['int64', 1e20, { wanted: 'int64', found: 'number 100000000000000000000' }],
  ['intOrString', 1.5, { problem: 'json: cannot unmarshal number 1.5 into Go value of type int32' }],
  ['bytes', '***', { problem: 'illegal base64 data at input byte 0' }],
  ['time', 'now', { problem: `parsing time "now" as ${LAYOUT}: cannot parse "now" as "2006"` }],
  ['time', '2020-01-02', { problem: `parsing time "2020-01-02" as ${LAYOUT}: cannot parse "" as "T"` }],
  ['time', '2020-13-02T00:00:00Z', { problem: 'parsing time "2020-13-02T00:00:00Z": month out of range' }],
  ['time', '2021-02-29T00:00:00Z', { problem: 'parsing time "2021-02-29T00:00:00Z": day out of range' }],
  ['time', '2020-01-02T00:00:00Zz', { problem: 'parsing time "2020-01-02T00:00:00Zz": extra text: "z"' }],
];
for (const [type, given, why] of refused) {
  test(`${JSON.stringify(given)} is not a valid ${type}`, () => assert.deepEqual(decodeScalar(type, given), why));
}
