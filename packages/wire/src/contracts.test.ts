import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { MethodDefinition, ServiceDefinition } from '@grpc/grpc-js';
import protobuf from 'protobufjs';
import { callers } from './callers.ts';
import { grpcHealth, health, logBatchCodec, store, watch } from './contracts.ts';
import { deleteCorruptKind, guardKind, outcomeKind, servingStatus, writeKind } from './enums.ts';
import type {
  Change,
  ChecksResponse,
  CollectionListRequest,
  CorruptObject,
  DeleteCorruptRequest,
  DeleteCorruptResponse,
  DigestResponse,
  FollowLogRequest,
  FollowRequest,
  FollowResponse,
  Guard,
  HeadResponse,
  HealthCheckRequest,
  HealthCheckResponse,
  Key,
  ListPage,
  ListPart,
  ListRequest,
  LogBatch,
  ReadLogRequest,
  Segment,
  SessionRequest,
  SessionResponse,
  StoredObject,
  Write,
} from './messages.ts';

/** Samples of all messages: every field has a value that is not its default. */
const LARGE = Number.MAX_SAFE_INTEGER;
const bytes = (text: string): Buffer => Buffer.from(text);
const key: Required<Key> = { resource: 'leases.coordination.k8s.io', namespace: 'ns', name: 'ä' };
const object: Required<StoredObject> = {
  key,
  revision: LARGE,
  value: bytes('{"a":"ü"}'),
  splice: 7,
  selection: bytes('{"labels":{}}'),
  uid: 'uid',
  deleting: true,
  corrupt: 'its checksum is wrong',
  stale: true,
};
const guard: Required<Guard> = { kind: guardKind.atRevision, key, fence: 12 };
const joined = {
  kind: writeKind.update,
  key,
  operationId: bytes('0123456789abcdeF'),
  value: bytes('{}'),
  guards: [],
  claims: [],
  ties: [],
  joined: [],
};
const write: Required<Write> = {
  kind: writeKind.delete,
  key,
  operationId: bytes('0123456789abcdef'),
  expectedRevision: LARGE,
  expectedUid: 'expected',
  value: bytes('{}'),
  splice: 1,
  selection: bytes('s'),
  uid: 'uid',
  deleting: true,
  guards: [guard],
  traceparent: '00-1-2-01',
  sentAfter: 8,
  lifetimeSeconds: 3600,
  claims: ['ip/10.0.0.1'],
  ties: ['owner/x', 'waits/orphan'],
  joined: [joined],
};
const change: Required<Change> = {
  kind: writeKind.update,
  key,
  revision: LARGE,
  previousRevision: 5,
  value: bytes('{}'),
  splice: 1,
  selection: bytes('s'),
  uid: 'uid',
  deleting: true,
  traceparent: '00-1-2-01',
  byReference: true,
  corrupt: 'cannot be decrypted',
};
const corrupt: Required<CorruptObject> = { namespace: 'ns', name: 'n', revision: 3, why: 'its checksum is wrong' };
const segment: Required<Segment> = {
  json: bytes('{},{},'),
  items: [
    {
      namespace: 'ns',
      name: 'n',
      revision: LARGE,
      uid: 'uid',
      size: 2,
      splice: 1,
      selection: bytes('s'),
      deleting: true,
    },
  ],
};

interface Messages {
  SessionRequest: Required<SessionRequest>;
  SessionResponse: Required<SessionResponse>;
  ListRequest: Required<ListRequest>;
  ListPage: Required<ListPage>;
  ReadLogRequest: Required<ReadLogRequest>;
  FollowLogRequest: Required<FollowLogRequest>;
  LogBatch: Required<LogBatch>;
  DeleteCorruptRequest: Required<DeleteCorruptRequest>;
  DeleteCorruptResponse: Required<DeleteCorruptResponse>;
  DigestResponse: Required<DigestResponse>;
  HeadResponse: Required<HeadResponse>;
  FollowRequest: Required<FollowRequest>;
  FollowResponse: Required<FollowResponse>;
  CollectionListRequest: Required<CollectionListRequest>;
  ListPart: Required<ListPart>;
  ChecksResponse: Required<ChecksResponse>;
  HealthCheckRequest: Required<HealthCheckRequest>;
  HealthCheckResponse: Required<HealthCheckResponse>;
}

const messages: Messages = {
  SessionRequest: { id: 1, reads: [key], writes: [write], head: true },
  SessionResponse: {
    id: LARGE,
    reads: [{ found: true, object, again: true }],
    writes: [
      { kind: outcomeKind.unknown, revision: LARGE, currentUid: 'uid', guard: 2, deleting: true, message: 'no room' },
    ],
    revision: LARGE,
    error: bytes('{"kind":"Status"}'),
    busTrouble: 'the bus is away',
  },
  ListRequest: {
    resource: 'pods',
    namespace: 'ns',
    revision: LARGE,
    afterNamespace: 'ns',
    afterName: 'n',
    limit: 500,
    countRest: true,
  },
  ListPage: { revision: LARGE, epoch: 4_294_967_295, objects: [object, object], remaining: 1 },
  ReadLogRequest: { after: 1, through: LARGE, resource: 'pods' },
  FollowLogRequest: { after: LARGE },
  LogBatch: { epoch: 2, first: 3, last: LARGE, changes: [change], committedAtMs: 1_800_000_000_000.25 },
  DeleteCorruptRequest: { key, operationId: bytes('0123456789abcdef'), traceparent: '00-1-2-01' },
  DeleteCorruptResponse: { kind: deleteCorruptKind.readable, revision: 9, uid: 'uid' },
  DigestResponse: {
    revision: 9,
    epoch: 2,
    digests: [{ resource: 'pods', count: 1, lowSum: LARGE, highSum: 2, lowXor: 3, highXor: 4 }],
  },
  HeadResponse: { revision: LARGE, floor: 8, epoch: 2 },
  FollowRequest: { open: ['pods', 'configmaps'], close: ['secrets'], waitFor: LARGE },
  FollowResponse: {
    opening: {
      resource: 'pods',
      history: [{ change, before: object, toState: { kind: writeKind.delete, revision: 9, previousRevision: 8 } }],
      segments: [segment],
      corrupt: [corrupt],
      opened: true,
      revision: 9,
      floor: 4,
      holes: [{ lastSurviving: 5, firstNew: 7 }],
    },
    changes: [change],
    through: LARGE,
    epoch: 2,
    sizes: [{ resource: 'pods', bytes: 12 }],
    committedAtMs: 0.5,
  },
  CollectionListRequest: {
    resource: 'pods',
    namespace: 'ns',
    afterNamespace: 'ns',
    afterName: 'n',
    limit: -1,
    revision: LARGE,
    exact: true,
    heads: true,
    typeless: true,
  },
  ListPart: {
    revision: 9,
    corrupt: [corrupt],
    segment,
    count: 2,
    lastNamespace: 'ns',
    lastName: 'n',
    remaining: LARGE,
  },
  ChecksResponse: {
    part: 'store',
    instance: 'store-1',
    checks: [{ name: 'database', ok: true, message: 'away', required: true, onLivez: true, live: true }],
    stopping: true,
    revision: LARGE,
    load: {
      requestsPerSecond: 0.5,
      loopDelayMs: 1.5,
      residentBytes: LARGE,
      watchers: 3,
      hasLag: true,
      lagMs: 2.5,
      uptimeSeconds: 60,
    },
  },
  HealthCheckRequest: { service: 'readyz' },
  HealthCheckResponse: { status: servingStatus.serviceUnknown },
};

const protoRoot = fileURLToPath(new URL('../../../proto/', import.meta.url));
const root = new protobuf.Root();
root.resolvePath = (_origin, target) => `${protoRoot}${target}`;
root.loadSync(['store', 'watch', 'health'].map((name) => `tidegate/${name}/v1/${name}.proto`));
root.loadSync('grpc/health/v1/health.proto');
root.resolveAll();

interface Way {
  readonly name: string;
  readonly type: protobuf.Type;
  readonly encode: (message: never) => Buffer;
  readonly decode: (bytes: Buffer) => unknown;
}

/** The request and response of each method, as grpc-js encodes and decodes them. */
function waysOf(service: string, definition: ServiceDefinition): Way[] {
  return Object.values(definition as Record<string, MethodDefinition<unknown, unknown>>).flatMap((method) => {
    const { path, requestSerialize, requestDeserialize, responseSerialize, responseDeserialize } = method;
    const found = root.lookupService(service).get(path.split('/').at(-1) ?? '') as protobuf.Method;
    const [request, response] = [found.resolvedRequestType, found.resolvedResponseType] as [
      protobuf.Type,
      protobuf.Type,
    ];
    return [
      { name: `${path} takes`, type: request, encode: requestSerialize, decode: requestDeserialize },
      { name: `${path} gives`, type: response, encode: responseSerialize, decode: responseDeserialize },
    ];
  });
}

const ways: Way[] = [
  ...waysOf('tidegate.store.v1.Store', store),
  ...waysOf('tidegate.watch.v1.Watch', watch),
  ...waysOf('tidegate.health.v1.Health', health),
  ...waysOf('grpc.health.v1.Health', grpcHealth),
  {
    name: 'the codec of the bus takes',
    type: root.lookupType('tidegate.store.v1.LogBatch'),
    encode: logBatchCodec.encode,
    decode: logBatchCodec.decode,
  },
];

/** Messages with different names in proto/ and messages.ts. */
const NAMES: Readonly<Record<string, keyof Messages>> = { '.tidegate.watch.v1.ListRequest': 'CollectionListRequest' };
function sampleOf({ type }: Way): object {
  if (type.fieldsArray.length === 0) return {};
  const sample = messages[NAMES[type.fullName] ?? (type.name as keyof Messages)];
  assert.ok(sample !== undefined, `${type.fullName} stands in messages`);
  return sample;
}

/** The value without prototypes, to compare a message with an object literal. */
function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('latin1');
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, plain(inner)]));
}

/** Fields that only proto/ has, or only the sample. */
function differences(type: protobuf.Type, sample: object, path = type.name): string[] {
  const fields = new Set(type.fieldsArray.map(({ name }) => name));
  const unknown = Object.keys(sample).filter((name) => !fields.has(name));
  return [
    ...unknown.map((name) => `${path}.${name} is not in proto/`),
    ...type.fieldsArray.flatMap(({ name, resolvedType }) => {
      const value = (sample as Record<string, unknown>)[name];
      const first = Array.isArray(value) ? value[0] : value;
      if (first === undefined) return [`${path}.${name} has no value`];
      // a joined write has the type of the outer one, and need not have all fields
      const isInner = resolvedType instanceof protobuf.Type && resolvedType !== type;
      return isInner ? differences(resolvedType, first as object, `${path}.${name}`) : [];
    }),
  ];
}

describe('Each message', () => {
  for (const way of ways) {
    const sample = sampleOf(way);
    const { name, type, encode, decode } = way;

    test(`that ${name} (${type.name}) has the fields of proto/`, () => {
      assert.deepEqual(differences(type, sample), []);
    });

    test(`that ${name} (${type.name}) is the same after encoding and decoding`, () => {
      assert.deepEqual(plain(decode(encode(sample as never))), plain(sample));
    });

    test(`that ${name} (${type.name}) may have unknown fields`, () => {
      const later = protobuf.Writer.create();
      later.uint32((1000 << 3) | 0).int64(7);
      later.uint32((1001 << 3) | 2).bytes(bytes('of a later version'));
      later.uint32((1002 << 3) | 1).double(0.5);
      const decoded = decode(Buffer.concat([later.finish(), encode(sample as never)])) as object;
      for (const { name: field } of type.fieldsArray) {
        const [got, sent] = [decoded, sample].map((one) => plain((one as Record<string, unknown>)[field]));
        assert.deepEqual(got, sent, field);
      }
    });

    test(`that ${name} (${type.name}) has defaults for absent fields`, () => {
      const decoded = decode(Buffer.alloc(0)) as Record<string, unknown>;
      for (const field of type.fieldsArray) assert.deepEqual(plain(decoded[field.name]), emptyOf(field), field.name);
    });
  }
});

function emptyOf({ repeated, resolvedType, type }: protobuf.Field): unknown {
  if (repeated) return [];
  if (resolvedType instanceof protobuf.Type) return null;
  if (type === 'string' || type === 'bytes') return '';
  return type === 'bool' ? false : 0;
}

describe('The encoder', () => {
  const encode = logBatchCodec.encode;
  const batch = (value: string): LogBatch => ({
    epoch: 1,
    first: 1,
    last: 1,
    changes: [{ ...change, value: bytes(value) }],
  });
  const textOf = (encoded: Buffer) => Buffer.from(logBatchCodec.decode(encoded).changes[0]?.value ?? []).toString();

  test('does not change earlier results when it encodes the next message', () => {
    const encoded = ['first', 'second', 'x'.repeat(5 << 20), 'fourth'].map((value) => encode(batch(value)));
    assert.deepEqual(
      encoded.map((one) => textOf(one).slice(0, 6)),
      ['first', 'second', 'xxxxxx', 'fourth'],
    );
  });

  test('works after a message that could not be encoded', () => {
    assert.throws(() => encode({ ...batch('half'), changes: [change, null as never] }));
    assert.equal(textOf(encode(batch('whole'))), 'whole');
  });

  test('rejects bytes that are not a message', () => {
    const whole = encode(batch('whole'));
    assert.throws(() => logBatchCodec.decode(whole.subarray(0, -1)), RangeError);
  });
});

test('every method has an entry in the table of callers', () => {
  const paths = [store, watch, health, grpcHealth].flatMap((definition) =>
    Object.values(definition).map(({ path }) => path),
  );
  assert.deepEqual(Object.keys(callers).sort(), paths.sort());
});
