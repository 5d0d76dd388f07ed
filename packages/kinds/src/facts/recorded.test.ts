import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeProtobuf } from '@tidegate/schema';
import { metaOf, setDefaults } from '../index.ts';
import { kindAt, leaves, recorded } from '../testing/recorded.ts';

const OF_THE_SERVER = [/^metadata\.(creationTimestamp|managedFields|resourceVersion)\b/];

for (const { path, answered, protobuf } of recorded) {
  if (protobuf === undefined) continue;
  test(`${path} ${metaOf(answered).name} is the same in Protobuf and JSON`, () => {
    const kind = kindAt(path);
    const object = decodeProtobuf(kind.schema, Buffer.from(protobuf, 'base64'));
    setDefaults(kind, object);
    assert.deepEqual(leaves(object, OF_THE_SERVER), leaves(answered, OF_THE_SERVER));
  });
}
