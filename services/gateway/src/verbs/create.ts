import { randomUUID } from 'node:crypto';
import { isConverted, type Kind, metaOf, prepareCreate, validateMeta } from '@tidegate/kinds';
import { type JsonObject, parseOwnJson, printTime } from '@tidegate/schema';
import { ApiError, alreadyExists, badRequest, invalid, methodNotAllowed } from '@tidegate/status';
import { type Key, outcomeKind, type WriteOutcome, writeKind } from '@tidegate/wire';
import type { Admitting } from '../admission/admitting.ts';
import { readyForGrant, refuseEscalation } from '../authz/escalation.ts';
import { objectAnswer } from '../codec/answer.ts';
import { storedForm, withResourceVersion } from '../codec/stored-form.ts';
import type { Gateway, VerbHandler } from '../gateway.ts';
import { keyOf } from '../objects/objects.ts';
import { ownCreated } from '../ownership/own-fields.ts';
import { commitCounted, refuseExceeding } from '../quota/commit-counted.ts';
import { type Answer, inStep, type ResourceRequest } from '../request/resource-request.ts';
import { isDryRun } from '../request/write-options.ts';
import { admitBody } from '../rules/admit-object.ts';
import { allotmentOf, claimGuards, takenClaim } from '../rules/allotment.ts';
import { definitionGuard, namespaceGuard, refusal } from '../rules/commit.ts';
import { generatedName } from '../rules/generated-name.ts';
import { emptinessGuard } from '../rules/removal.ts';

/** POST to a collection. */
export const create: VerbHandler = async (gateway, request) => {
  const { info, kind } = request;
  refuseClosing(kind);
  if (info.name !== '' || (kind.entry.namespaced && info.namespace === '')) throw methodNotAllowed();
  const object = await inStep(request, () => admitBody(request));
  wipe(object);
  const own = () => ownCreated(gateway, request, object);
  if (request.conversions === undefined) await inStep(request, own);
  else await request.conversions.replay(request.warnings, own);
  return createObject(gateway, request, object);
};

/** The same for who asked for something else: undefined when there is one of its name by now. */
export async function createUnlessTaken(
  gateway: Gateway,
  request: ResourceRequest,
  object: JsonObject,
): Promise<Answer | undefined> {
  await gateway.authorizer.demand(request.user, { ...request.info, verb: 'create' });
  try {
    return await createObject(gateway, request, object);
  } catch (error) {
    if (error instanceof ApiError && error.status.reason === 'AlreadyExists') return undefined;
    throw error;
  }
}

/** Of a kind that is going, nothing new is made. */
function refuseClosing({ entry }: Kind): void {
  if (!entry.custom?.closing) return;
  throw methodNotAllowed('create not allowed while custom resource definition is terminating');
}

const ATTEMPTS = 8;

/** Commits a new object. A generated name that is taken is drawn again. */
export async function createObject(gateway: Gateway, request: ResourceRequest, wanted: JsonObject): Promise<Answer> {
  const { kind } = request;
  request.record?.named(metaOf(wanted).name ?? '');
  // what is tried may be an object as it was read, as Kubernetes has it
  if (metaOf(wanted).resourceVersion && !isDryRun(request)) {
    throw new ApiError('', 'resourceVersion should not be set on objects to be created');
  }
  await gateway.plugins.at('CREATE', request)?.mutate({ request, object: wanted, old: undefined });
  const inquiry = gateway.admission.of(request, { operation: 'CREATE', name: metaOf(wanted).name ?? '' });
  const object = inquiry === undefined ? wanted : await mutated(gateway, request, { inquiry, wanted });
  await readyForGrant(gateway, request, () => object);
  refuseEscalation(gateway, request, object);
  const meta = metaOf(object);
  const { generateName = '' } = meta;
  const generated = !meta.name && generateName !== '';
  for (let attempt = 1; ; attempt++) {
    if (generated) meta.name = generatedName(generateName);
    const outcome = await attemptCreate(gateway, request, { object, inquiry });
    if (outcome.kind !== 'taken') {
      request.warnings.push(...(kind.stored.entry.warn?.(object) ?? []));
      return outcome.answer;
    }
    if (!generated) throw alreadyExists(kind.entry, meta.name as string, outcome.deleting);
    if (attempt === ATTEMPTS) throw namesExhausted(kind, meta.name as string);
  }
}

interface Wanted {
  readonly object: JsonObject;
  /** who is asked before it is committed */
  readonly inquiry: Admitting | undefined;
}

type Attempt = { kind: 'created'; answer: Answer } | { kind: 'taken'; deleting: boolean };

/** What is given to the object alone (addresses, ports) is chosen again where somebody else has it. */
async function attemptCreate(
  gateway: Gateway,
  request: ResourceRequest,
  { object, inquiry }: Wanted,
): Promise<Attempt> {
  identify(object);
  const allotment = allotmentOf(gateway, request);
  if (allotment !== undefined && isDryRun(request)) await allotment.lookFirst();
  for (;;) {
    const proposal = allotment === undefined ? object : structuredClone(object);
    allotment?.allot(proposal);
    const attempt = await commitNew(gateway, request, { object: proposal, inquiry });
    if (attempt.kind !== 'claimed') return attempt;
    await allotment?.refused(attempt.claim);
  }
}

/** The object as webhooks make it. It stays in the namespace of the path, and its version is not theirs to say. */
async function mutated(
  gateway: Gateway,
  request: ResourceRequest,
  { inquiry, wanted }: { inquiry: Admitting; wanted: JsonObject },
): Promise<JsonObject> {
  const object = (await inquiry.mutate({ object: wanted, old: undefined })) ?? wanted;
  if (object === wanted) return wanted;
  if ((metaOf(object).namespace ?? '') !== (metaOf(wanted).namespace ?? '')) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
  delete metaOf(object).resourceVersion;
  await gateway.plugins.at('CREATE', request)?.mutate({ request, object, old: undefined });
  return object;
}

async function commitNew(
  gateway: Gateway,
  request: ResourceRequest,
  { object, inquiry }: Wanted,
): Promise<Attempt | { kind: 'claimed'; claim: string }> {
  const { kind } = request;
  await inStep(request, () => judgeNew(request, object));
  const meta = metaOf(object);
  await gateway.plugins.at('CREATE', request)?.validate({ request, object, old: undefined });
  await inquiry?.validate({ object, old: undefined });
  const converts = isConverted(kind);
  const written = converts ? await gateway.conversions.written(kind, object) : undefined;
  const form = written?.stored ?? (await inStep(request, () => storedForm(kind.stored, object)));
  const shown = written?.shown ?? form;
  const counted = { request, object, old: undefined };
  if (isDryRun(request)) {
    await refuseExceeding(gateway, counted);
    return dryRun(gateway, request, shown.value);
  }
  const key = keyOf(kind, meta.namespace ?? '', meta.name as string);
  const guards = [
    ...namespaceGuard(kind, key.namespace),
    ...definitionGuard(kind),
    ...emptinessGuard(kind, key.name),
    ...claimGuards(form.claims),
  ];
  const outcome = await commitCounted(gateway, counted, {
    kind: writeKind.create,
    key,
    ...form,
    uid: meta.uid as string,
    guards,
  });
  const claim = takenClaim(request, guards, outcome);
  if (claim !== undefined) return { kind: 'claimed', claim };
  if (outcome.kind === outcomeKind.alreadyExists) return { kind: 'taken', deleting: outcome.deleting };
  if (isLeftBehind(request, outcome)) return takenNamespace(gateway, key);
  if (outcome.kind !== outcomeKind.committed) throw refusal(request, key, outcome);
  if (converts) gateway.conversions.remember(kind, { key, object, form: shown, revision: outcome.revision });
  const answer = await inStep(request, () => objectAnswer(request, 201, withResourceVersion(shown, outcome.revision)));
  return { kind: 'created', answer };
}

function judgeNew({ kind, user }: ResourceRequest, object: JsonObject): void {
  prepareCreate(kind.stored, object, user);
  const { entry } = kind.stored;
  const errors = [
    ...validateMeta(entry, object),
    ...(entry.validate?.(object) ?? []),
    ...(kind.entry.validateCreate?.(object) ?? []),
    ...(kind.entry.validateWritten?.(object, undefined, '') ?? []),
  ];
  const { group, kind: name } = kind.entry;
  if (errors.length > 0) throw invalid({ group, kind: name, name: metaOf(object).name ?? '' }, errors);
}

/** The guard says that there are objects in the namespace that is to be made. */
function isLeftBehind({ kind, fence }: ResourceRequest, outcome: WriteOutcome): boolean {
  const isOfLease = fence !== undefined && outcome.guard === 0;
  return kind.storedAs === 'namespaces' && outcome.kind === outcomeKind.guardFailed && !isOfLease;
}

/** They are of a namespace that is there, or of an earlier one that went before them. */
async function takenNamespace(gateway: Gateway, key: Key): Promise<Attempt> {
  const { found, object } = await gateway.store.read(key);
  return { kind: 'taken', deleting: !found || object?.deleting === true };
}

/** Everything but the write: the name and the namespace are looked up instead of being guarded. */
async function dryRun(gateway: Gateway, request: ResourceRequest, value: Buffer): Promise<Attempt> {
  const { kind } = request;
  const meta = metaOf(parseOwnJson(value));
  const key = keyOf(kind, meta.namespace ?? '', meta.name as string);
  const [there, namespace] = await Promise.all([
    gateway.store.read(key),
    kind.entry.namespaced
      ? gateway.store.read({ resource: 'namespaces', namespace: '', name: key.namespace })
      : undefined,
  ]);
  if (namespace !== undefined && (!namespace.found || namespace.object?.deleting)) {
    const deleting = namespace.found;
    throw refusal(request, key, {
      kind: outcomeKind.guardFailed,
      guard: 0,
      deleting,
      revision: 0,
      currentUid: '',
      message: '',
    });
  }
  if (there.found) return { kind: 'taken', deleting: there.object?.deleting ?? false };
  return { kind: 'created', answer: objectAnswer(request, 201, value) };
}

/** What the server decides on creation, whatever the client sent. */
function identify(object: JsonObject): void {
  const meta = metaOf(object);
  meta.uid = randomUUID();
  meta.creationTimestamp = printTime();
}

/** What a client cannot bring along. */
export function wipe(object: JsonObject): void {
  const meta = metaOf(object);
  for (const field of WIPED) delete meta[field];
}

const WIPED = ['uid', 'creationTimestamp', 'deletionTimestamp', 'deletionGracePeriodSeconds', 'selfLink'] as const;

function namesExhausted(kind: Kind, name: string): ApiError {
  const taken = alreadyExists(kind.entry, name);
  return new ApiError(
    'AlreadyExists',
    `${taken.message}, the server was not able to generate a unique name for the object`,
    {
      details: { ...taken.status.details, retryAfterSeconds: 1 },
    },
  );
}
