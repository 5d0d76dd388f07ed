import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import type { Key } from '@tidegate/wire';
import { readConfiguration } from './configuration.ts';
import { type Sealed, type StoredState, Vault } from './vault.ts';

const key: Key = { resource: 'secrets', namespace: 'team', name: 'password' };
const content = { value: Buffer.from('{"data":"hunter2"}'), selection: Buffer.from('{"labels":{"a":"b"}}') };

const secrets = { one: randomBytes(32).toString('base64'), two: randomBytes(32).toString('base64') };
const KINDS = ['aesgcm', 'aescbc', 'secretbox'] as const;

function provider(kind: string, ...names: Array<keyof typeof secrets>): string {
  if (kind === 'identity') return '      - identity: {}\n';
  const keys = names.map((name) => `            - {name: ${name}, secret: ${secrets[name]}}\n`).join('');
  return `      - ${kind}:\n          keys:\n${keys}`;
}

function vault(...providers: string[]): Vault {
  return new Vault(
    readConfiguration(
      `apiVersion: apiserver.config.k8s.io/v1\nkind: EncryptionConfiguration\nresources:\n  - resources: [secrets]\n    providers:\n${providers.join('')}`,
    ),
  );
}

function stored(sealed: Sealed): StoredState {
  const { value, selection, checksum } = sealed;
  const rest = { revision: 7, uid: 'u', deleting: false, splice: 3 };
  return {
    ...rest,
    checksum,
    value: Buffer.from(value),
    selection: selection.length === 0 ? null : Buffer.from(selection),
  };
}

function altered(state: StoredState, at: number): StoredState {
  const value = Buffer.from(state.value);
  value[at] = (value[at] as number) ^ 1;
  return { ...state, value, checksum: crc32(value) | 0 };
}

for (const kind of KINDS) {
  test(`${kind}: sealed bytes reveal nothing of the content, and open to the same content.`, () => {
    const own = vault(provider(kind, 'one'));
    const state = stored(own.seal(key, content));
    assert.ok(state.value.toString('latin1').startsWith(`k8s:enc:${kind}:v1:one:`));
    assert.ok(!state.value.includes('hunter2') && state.selection === null);
    const object = own.open(key, state);
    assert.deepEqual([object.value, object.selection], [content.value, content.selection]);
    assert.deepEqual([object.corrupt, object.stale, object.revision, object.splice], ['', false, 7, 3]);
  });

  test(`${kind}: one changed bit makes an object corrupt, also with a matching checksum.`, () => {
    const own = vault(provider(kind, 'one'));
    const state = stored(own.seal(key, content));
    for (let at = `k8s:enc:${kind}:v1:one:`.length; at < state.value.length; at++) {
      const object = own.open(key, altered(state, at));
      assert.match(object.corrupt, /cannot be decrypted/);
      assert.equal(object.value.length, 0);
    }
  });

  test(`${kind}: the content of one object is corrupt at the key of another.`, () => {
    const own = vault(provider(kind, 'one'));
    const state = stored(own.seal(key, content));
    assert.match(own.open({ ...key, name: 'other' }, state).corrupt, /it belongs to another object/);
  });

  test(`${kind}: after a key rotation old values are read with the old key, and are stale.`, () => {
    const before = stored(vault(provider(kind, 'one')).seal(key, content));
    const after = vault(provider(kind, 'two', 'one'));
    assert.deepEqual([after.open(key, before).corrupt, after.open(key, before).stale], ['', true]);
    assert.ok(Buffer.from(after.seal(key, content).value).toString('latin1').startsWith(`k8s:enc:${kind}:v1:two:`));
    const retired = vault(provider(kind, 'two'));
    assert.match(retired.open(key, before).corrupt, /no \w+ key "one"/);
  });
}

test('A value from before encryption is stale where the configuration has identity, and corrupt otherwise.', () => {
  const plain = stored(new Vault().seal(key, content));
  const both = vault(provider('aesgcm', 'one'), provider('identity'));
  assert.deepEqual([both.open(key, plain).value, both.open(key, plain).stale], [content.value, true]);
  assert.match(vault(provider('aesgcm', 'one')).open(key, plain).corrupt, /names no identity provider/);
});

test('With identity first new values are not encrypted, and encrypted values are still read.', () => {
  const before = stored(vault(provider('secretbox', 'one')).seal(key, content));
  const own = vault(provider('identity'), provider('secretbox', 'one'));
  assert.deepEqual([own.open(key, before).value, own.open(key, before).stale], [content.value, true]);
  assert.deepEqual([own.isSecret('secrets'), own.seal(key, content).value], [false, content.value]);
});

test('A resource without an entry is stored unencrypted, and a sealed value of it is corrupt.', () => {
  const own = vault(provider('aesgcm', 'one'));
  const other = { ...key, resource: 'configmaps' };
  assert.deepEqual([own.isSecret('secrets'), own.isSecret('configmaps')], [true, false]);
  assert.deepEqual(own.open(other, stored(own.seal(other, content))).value, content.value);
  assert.match(own.open(other, stored(own.seal(key, content))).corrupt, /has no aesgcm key/);
});

test('Bytes with a wrong checksum, and bytes that are no object, are corrupt.', () => {
  const own = new Vault();
  const state = stored(own.seal(key, content));
  assert.equal(own.open(key, { ...state, checksum: 1 }).corrupt, 'its checksum is wrong');
  const noObject = stored(own.seal(key, { value: Buffer.from('half of {"a"'), selection: Buffer.alloc(0) }));
  assert.match(own.open(key, noObject).corrupt, /not an object/);
});

const mistakes: ReadonlyArray<readonly [string, string, RegExp]> = [
  ['another kind', 'kind: Pod', /must be an EncryptionConfiguration/],
  ['no entry', 'resources: []', /resources must be a list with at least one entry/],
  [
    'an unknown provider',
    'resources: [{resources: [a], providers: [{rot13: {}}]}]',
    /unknown provider rot13; use aesgcm/,
  ],
  [
    'two providers in one',
    'resources: [{resources: [a], providers: [{identity: {}, aesgcm: {}}]}]',
    /must name one provider/,
  ],
  ['a bare star', 'resources: [{resources: ["*"], providers: [{identity: {}}]}]', /use \*\. for the core/],
  [
    'a short secret',
    `resources: [{resources: [a], providers: [{aesgcm: {keys: [{name: k, secret: c2hvcnQ=}]}}]}]`,
    /keys\[0\]\.secret must have 16 or 24 or 32 bytes, and has 5/,
  ],
  [
    'a secret that is not base64',
    `resources: [{resources: [a], providers: [{aesgcm: {keys: [{name: k, secret: "!!"}]}}]}]`,
    /must be base64/,
  ],
  [
    'a colon in a name',
    `resources: [{resources: [a], providers: [{aesgcm: {keys: [{name: "k:1", secret: x}]}}]}]`,
    /name must be a text without colons/,
  ],
  [
    'an entry that never applies',
    'resources: [{resources: ["*.*"], providers: [{identity: {}}]}, {resources: [secrets], providers: [{identity: {}}]}]',
    /secrets is already covered by \*\.\*/,
  ],
];

for (const [what, text, words] of mistakes) {
  test(`A configuration with ${what} is rejected, and the error names the place.`, () => {
    const head = text.startsWith('kind') ? '' : 'kind: EncryptionConfiguration\n';
    assert.throws(() => readConfiguration(`apiVersion: apiserver.config.k8s.io/v1\n${head}${text}`), words);
  });
}

test('Patterns match the core, a group, or everything, and the first matching entry applies.', () => {
  const entry = (resources: string, name: keyof typeof secrets) =>
    `  - resources: [${resources}]\n    providers:\n${provider('aesgcm', name)}`;
  const configuration = readConfiguration(
    `apiVersion: apiserver.config.k8s.io/v1\nkind: EncryptionConfiguration\nresources:\n${entry('secrets', 'one')}${entry("'*.', '*.apps'", 'two')}`,
  );
  const keyOf = (resource: string) => {
    const first = configuration.choicesFor(resource)?.[0];
    return first === undefined || first === 'identity' ? first : first.prefix.split(':')[4];
  };
  assert.deepEqual(['secrets', 'pods', 'deployments.apps', 'jobs.batch'].map(keyOf), ['one', 'two', 'two', undefined]);
});
