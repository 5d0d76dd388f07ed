import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseResourceVersion, revisionText, toRevision } from './revision.ts';

const LARGEST = String(Number.MAX_SAFE_INTEGER);

for (const text of ['0', '1', '9', '10', '42', '9007199254740990', LARGEST]) {
  test(`${text} is parsed to its number and printed unchanged`, () => {
    const revision = parseResourceVersion(text);
    assert.ok(revision !== undefined);
    assert.equal(revision, Number(text));
    assert.equal(revisionText(revision), text);
  });
}

for (const text of ['9007199254740992', '9007199254740993', '10000000000000000000', '18446744073709551615']) {
  test(`${text} is capped at the largest revision`, () => {
    assert.equal(parseResourceVersion(text), Number.MAX_SAFE_INTEGER);
  });
}

const MALFORMED = {
  'more than 64 bits': ['18446744073709551616', '18446744073709551620', '99999999999999999999', `1${'0'.repeat(20)}`],
  'a second spelling of a number': ['00', '01', '007', '000000000000000000001', '1.0', '1e3', '+1', '0x10', '1_000'],
  'a negative number': ['-1', '-0'],
  'white space': ['', ' ', ' 1', '1 ', '1\n', '\t1'],
  'characters other than ASCII digits': ['a', '1a', '١', '１', 'NaN', 'Infinity'],
} as const;
for (const [what, texts] of Object.entries(MALFORMED)) {
  test(`${what} is malformed`, () => {
    for (const text of texts) assert.equal(parseResourceVersion(text), undefined, JSON.stringify(text));
  });
}

test('toRevision throws for a number that is not a revision', () => {
  for (const value of [-1, 0.5, 2 ** 53, Number.NaN, Number.POSITIVE_INFINITY]) {
    assert.throws(() => toRevision(value), RangeError, String(value));
  }
  assert.equal(toRevision(0), 0);
  assert.equal(toRevision(Number.MAX_SAFE_INTEGER), Number.MAX_SAFE_INTEGER);
});
