import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { validateHeaderValue } from 'node:http';
import { readFeatureGates } from '@tidegate/feature-gates';
import {
  builtInRegistry,
  type Kind,
  metaOf,
  prepareCreate,
  prepareUpdate,
  validateMeta,
  validateMetaUpdate,
} from '@tidegate/kinds';
import { requestInfo } from '@tidegate/request-info';
import {
  decodeCbor,
  decodeJson,
  decodeProtobuf,
  decodeYaml,
  encodeCbor,
  encodeMessage,
  inEnvelope,
  isTooDeep,
  type Json,
  type JsonObject,
  printYaml,
  setOwn,
  wholeNumber,
} from '@tidegate/schema';
import { parseFieldSelector, parseLabelSelector } from '@tidegate/selectors';
import type { Random } from '@tidegate/testkit';
import { contentCoding } from '../../answer/content-coding.ts';
import { warningHeaders } from '../../answer/headers.ts';
import { decodeContinue, encodeContinue } from '../../codec/continue-token.ts';
import { decodeObject } from '../../codec/decode-body.ts';
import { cbor, json, protobuf, yaml } from '../../codec/encodings.ts';
import { Negotiator, PLAIN } from '../../codec/negotiate.ts';
import { tableRow } from '../../codec/object-form.ts';
import { parseStored, storedForm } from '../../codec/stored-form.ts';
import { listOptions } from '../../reading/list-options.ts';
import { watchOptions } from '../../reading/watch-options.ts';
import { IDENTITY } from '../../request/answer-form.ts';
import { newNotes, type ResourceRequest } from '../../request/resource-request.ts';
import { readPatch } from '../../verbs/patch.ts';
import { admitBody, admitObject } from '../../writing/admit-object.ts';
import { deleteOptions } from '../../writing/delete-options.ts';
import { mutateBytes, mutateValue, type Target } from './mutate.ts';
import { tokenTargets } from './token-targets.ts';

interface Recorded {
  readonly path: string;
  readonly posted: JsonObject;
  readonly answered: JsonObject;
}

const registry = builtInRegistry();
const gates = readFeatureGates('CBORServingAndStorage=true,AllowUnsafeMalformedObjectDeletion=true');
const negotiator = new Negotiator(gates);
const AUTHOR = { name: 'admin', uid: '', groups: ['system:masters'] };

const seeds = (
  JSON.parse(
    readFileSync(new URL('../../../../../packages/kinds/recorded/objects.json', import.meta.url), 'utf8').replaceAll(
      '"TIME"',
      '"2026-11-21T10:00:00Z"',
    ),
  ) as readonly Recorded[]
).flatMap(({ path, posted, answered }) => {
  const parts = path.split('/').slice(1);
  const [group = '', version = ''] = parts[0] === 'api' ? ['', parts[1]] : parts.slice(1);
  const kind = registry.find(group, version, parts.at(-1) ?? '');
  return kind === undefined ? [] : [{ path, kind, posted, answered }];
});
type Seed = (typeof seeds)[number];

const ENCODERS: Readonly<Record<string, (value: JsonObject, kind: Kind) => Buffer>> = {
  'application/json': (value) => Buffer.from(JSON.stringify(value)),
  'application/yaml': (value) => Buffer.from(printYaml(value)),
  'application/cbor': (value, { schema }) => encodeCbor(value, schema),
  'application/vnd.kubernetes.protobuf': (value, { schema, apiVersion, entry }) =>
    inEnvelope({ apiVersion, kind: entry.kind }, encodeMessage(schema, value)),
};

function requestOf(
  { path, kind }: Pick<Seed, 'path' | 'kind'>,
  method: string,
  body: Buffer,
  contentType: string,
): ResourceRequest {
  const info = requestInfo(method, `${path}?fieldValidation=Warn`);
  assert.ok(info !== undefined);
  const accepted = PLAIN;
  return {
    info,
    kind,
    user: AUTHOR,
    userAgent: 'fuzz',
    auditId: '',
    contentType,
    accepted,
    coding: IDENTITY,
    body,
    steps: undefined,
    span: undefined,
    fence: undefined,
    conversions: undefined,
    warnings: [],
    record: undefined,
    notes: newNotes(),
  };
}

function bodyTarget(contentType: string): Target {
  const encode = ENCODERS[contentType] as (value: JsonObject, kind: Kind) => Buffer;
  let seed = seeds[0] as Seed;
  return {
    name: `bodies in ${contentType}`,
    input: (random) => {
      seed = random.pick(seeds);
      const { kind, posted, answered } = seed;
      const value = random.chance(0.5) ? posted : answered;
      if (random.chance(0.5)) {
        const other = random.pick(seeds);
        return mutateBytes(encode(value, kind), encode(other.posted, other.kind), random);
      }
      try {
        return encode(mutateValue(value, random) as JsonObject, kind);
      } catch {
        // the encoders expect cleaned values, so they may throw for this one
        return mutateBytes(encode(value, kind), Buffer.alloc(0), random);
      }
    },
    take: (input) => {
      const { kind } = seed;
      roundTrip(decodeObject(kind.schema, input, contentType).object);
      const request = requestOf(seed, 'POST', input, contentType);
      const object = admitBody(request);
      for (const header of warningHeaders(request.warnings)) validateHeaderValue('Warning', header);
      checkAccepted(kind, object, seed.answered);
    },
  };
}

/** Checks that a value is unchanged after each encoding that can hold it. */
function roundTrip(value: JsonObject): void {
  const expected = canonical(value);
  assert.deepEqual(canonical(decodeJson(Buffer.from(JSON.stringify(value))).value as Json), expected, 'JSON');
  assert.deepEqual(canonical(decodeYaml(Buffer.from(printYaml(value))).value as Json), expected, 'YAML');
  if (!hasHuge(value)) assert.deepEqual(canonical(decodeCbor(encodeCbor(value))), expected, 'CBOR');
}

/** JSON does not distinguish zero from negative zero, nor a large integer from an equal double. */
function canonical(value: Json): Json {
  if (typeof value === 'number') {
    const text = JSON.stringify(value);
    return /^-?\d+$/.test(text) ? wholeNumber(text) : value;
  }
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== 'object' || value === null) return value;
  const copy: JsonObject = {};
  for (const key of Object.keys(value)) setOwn(copy, key, canonical(value[key] as Json));
  return copy;
}

const MAX_INT64 = 2n ** 63n;

function hasHuge(value: Json): boolean {
  if (typeof value === 'bigint') return value >= MAX_INT64 || value < -MAX_INT64;
  return typeof value === 'object' && value !== null && Object.values(value).some(hasHuge);
}

/** Runs everything that happens to an accepted object: validation, the stored form, and all answer forms. */
function checkAccepted(kind: Kind, object: JsonObject, before: JsonObject): void {
  const { entry } = kind.stored;
  const old = admitObject(requestOf({ path: '/api/v1/namespaces/x/pods', kind }, 'POST', Buffer.alloc(0), ''), {
    ...before,
    metadata: {},
  });
  metaOf(object).uid = 'c8b1';
  prepareCreate(kind.stored, object, AUTHOR);
  const errors = [
    ...validateMeta(entry, object),
    ...(entry.validate?.(object) ?? []),
    ...(kind.entry.validateCreate?.(object) ?? []),
  ];
  const updated = structuredClone(object);
  prepareUpdate(kind.stored, updated, old, '');
  errors.push(...validateMetaUpdate(updated, old), ...(entry.validateUpdate?.(updated, old, '') ?? []));
  for (const { message } of errors) assert.equal(typeof message, 'string');
  const form = storedForm(kind.stored, object);
  assert.ok(!isTooDeep(object));
  const stored = parseStored(form.value, 7);
  const document = { value: stored, schema: kind.stored.schema };
  for (const encoding of [json, yaml, cbor, protobuf]) encoding.document(document, false);
  for (const include of ['', 'None', 'Object']) JSON.stringify(tableRow(kind, stored, include, 'meta.k8s.io'));
  const bytes = encodeMessage(kind.stored.schema, stored);
  decodeProtobuf(kind.stored.schema, inEnvelope({ apiVersion: 'v1', kind: 'X' }, bytes));
}

const PATCHES: Readonly<Record<string, (seed: Seed, random: Random) => Json>> = {
  'application/merge-patch+json': ({ posted }, random) => mutateValue(posted, random),
  'application/strategic-merge-patch+json': ({ answered }, random) => {
    const patch = mutateValue(answered, random);
    return random.chance(0.3)
      ? ({ ...(patch as JsonObject), $patch: random.pick(['replace', 'delete', 'merge', 1 as never]) } as Json)
      : patch;
  },
  'application/json-patch+json': ({ answered }, random) => {
    const pointers = pointersOf(answered);
    const operations = Array.from({ length: 1 + random.below(5) }, (): Json => {
      const op = random.pick(['add', 'remove', 'replace', 'move', 'copy', 'test', 'x']);
      const path = random.pick(pointers) + random.pick(['', '', '', '/-', '/0', '/x', '/__proto__', '/~2', '/~1']);
      return { op, path, from: random.pick(pointers), value: mutateValue(answered.metadata as Json, random) };
    });
    return random.chance(0.2) ? mutateValue(operations, random) : operations;
  },
};

function pointersOf(value: Json, path = ''): string[] {
  if (typeof value !== 'object' || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([key, item]) => pointersOf(item, `${path}/${key}`))];
}

function patchTarget(contentType: string): Target {
  const make = PATCHES[contentType] as (seed: Seed, random: Random) => Json;
  let seed = seeds[0] as Seed;
  return {
    name: `patches in ${contentType}`,
    input: (random) => {
      seed = random.pick(seeds);
      const bytes = Buffer.from(JSON.stringify(make(seed, random)) ?? '');
      return random.chance(0.4) ? mutateBytes(bytes, Buffer.from('{"spec":null}'), random) : bytes;
    },
    take: (input) => {
      const { kind, answered } = seed;
      const request = requestOf(seed, 'PATCH', input, contentType);
      const before = JSON.stringify(answered);
      const made = readPatch(request).apply(answered);
      assert.equal(JSON.stringify(answered), before, 'the current object is not changed');
      assert.equal(JSON.stringify(readPatch(request).apply(answered)), JSON.stringify(made), 'the same again');
      checkAccepted(kind, admitObject(request, made), answered);
    },
  };
}

/** A target for text that is not a body. */
function textTarget(name: string, examples: readonly string[], take: (text: string) => void): Target {
  const bytes = examples.map((example) => Buffer.from(example));
  return {
    name,
    input: (random) => mutateBytes(random.pick(bytes), random.pick(bytes), random),
    take: (input) => take(input.toString('latin1')),
  };
}

const MAPS = '/api/v1/namespaces/default/configmaps';
const infoOf = (query: string) => {
  const info = requestInfo('GET', `${MAPS}?${query}`);
  assert.ok(info !== undefined);
  return info;
};

const token = encodeContinue({ revision: 12, after: { namespace: 'default', name: 'a' } });

export const targets: readonly Target[] = [
  ...Object.keys(ENCODERS).map(bodyTarget),
  ...Object.keys(PATCHES).map(patchTarget),
  ...tokenTargets,
  {
    name: 'options of deletes',
    input: (random) => {
      const body = {
        preconditions: { uid: 'a', resourceVersion: '1' },
        dryRun: ['All'],
        gracePeriodSeconds: 1,
        propagationPolicy: 'Orphan',
      };
      return Buffer.from(JSON.stringify(mutateValue(body, random)) ?? '');
    },
    take: (input) => {
      deleteOptions(gates, requestOf(seeds[0] as Seed, 'DELETE', input, 'application/json'));
    },
  },
  textTarget(
    'label selectors',
    ['a=b,c!=d', 'a in (b, c),!d', 'e notin (f)', 'app.kubernetes.io/name==x,y'],
    (text) => {
      parseLabelSelector(text)?.matches({ a: 'b', app: 'x' });
    },
  ),
  textTarget('field selectors', ['metadata.name=a,metadata.namespace!=b', 'status.phase==Run\\,ning'], (text) => {
    parseFieldSelector(text, () => true)?.matches(() => 'a');
  }),
  textTarget(
    'continue tokens',
    [token, Buffer.from('{"v":"meta.k8s.io/v1","rv":-1,"start":"a/b"}').toString('base64url')],
    (text) => {
      const { revision, after } = decodeContinue(text);
      assert.deepEqual(decodeContinue(encodeContinue({ revision, after })), { revision, after, isExpired: false });
    },
  ),
  textTarget('continue tokens, unpacked', ['{"v":"meta.k8s.io/v1","rv":5,"start":"ns/name\\u0000"}'], (text) => {
    decodeContinue(Buffer.from(text, 'latin1').toString('base64url'));
  }),
  textTarget(
    'options of lists and watches',
    [
      'resourceVersion=12&resourceVersionMatch=Exact&limit=5',
      'watch=1&sendInitialEvents=true&resourceVersion=0&timeoutSeconds=9',
      `limit=3&continue=${token}`,
    ],
    (text) => {
      const info = infoOf(text);
      if (info.verb === 'watch') watchOptions(info, gates, { random: () => 0.5 });
      else listOptions(info);
    },
  ),
  textTarget(
    'paths',
    [`${MAPS}/a/status?pretty=1&x`, '/apis/apps/v1/deployments?a=%C3%A4&b', '/api/v1/nodes/n/proxy/x'],
    (text) => {
      requestInfo('GET', `/${text}`)?.query.get('pretty');
    },
  ),
  textTarget(
    'Accept headers',
    [
      'application/json;as=Table;g=meta.k8s.io;v=v1, application/json;q=0.5, */*;q=0.1',
      'application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.cluster.io;v=v1',
      'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList',
    ],
    (text) => {
      contentCoding({ gates, compressionMinBytes: 1 }, infoOf(''), text);
      negotiator.negotiateDiscovery(text, true);
      negotiator.negotiate(text);
    },
  ),
];
