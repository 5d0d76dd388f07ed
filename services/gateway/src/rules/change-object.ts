import { isConverted, type Kind, metaOf, prepareUpdate, validateMeta, validateMetaUpdate } from '@tidegate/kinds';
import { isSame } from '@tidegate/managed-fields';
import type { Json, JsonObject } from '@tidegate/schema';
import { badRequest, conflict, invalid, notFound, requiredValue } from '@tidegate/status';
import { type Guard, outcomeKind, writeKind } from '@tidegate/wire';
import type { ServiceAddresses } from '../addresses/service-addresses.ts';
import type { Admitting } from '../admission/admitting.ts';
import { readyForGrant, refuseEscalation } from '../authz/escalation.ts';
import { objectAnswer } from '../codec/answer.ts';
import { type StoredForm, storedForm, withResourceVersion } from '../codec/stored-form.ts';
import type { Gateway } from '../gateway.ts';
import { isLargeJson } from '../limits/large-steps.ts';
import { type Current, currentJson, keyOf, parseCurrent } from '../objects/objects.ts';
import { ownChanged } from '../ownership/own-fields.ts';
import type { Station } from '../plugins/plugins.ts';
import { commitCounted, refuseExceeding } from '../quota/commit-counted.ts';
import { type Answer, inStep, type RequestSteps, type ResourceRequest } from '../request/resource-request.ts';
import { isDryRun } from '../request/write-options.ts';
import { allotmentOf, claimGuards, takenClaim } from './allotment.ts';
import { CONTENTION_MS, refusal } from './commit.ts';
import { removeCompanion } from './companion.ts';
import { isRemoved, removalGuards } from './removal.ts';

export interface Change {
  /** Makes the new state from the current one. It may be called again with a fresher one; it must not change it. */
  apply: (current: JsonObject) => JsonObject;
  /** What becomes of what `apply` made before anybody else sees it, each with what the one before made. */
  further?: ReadonlyArray<(object: JsonObject) => JsonObject>;
  /** the client named the version that it means to change */
  pinned: boolean;
  /** whose its fields are: `apply` has said it, or nobody asks; otherwise what differs is the client's */
  ownership?: 'applied' | 'kept';
  /** Makes the object when there is none. undefined: there is one by now. */
  create?: () => Promise<Answer | undefined>;
  /** how the object is shown, where that is not as it is */
  show?: (code: number, json: Buffer) => Answer;
  /** what webhooks are asked about, where it is not the object; nobody is asked where its own request has been */
  admitted?: View | 'already';
}

/** An object as its subresource shows it. */
export interface View {
  readonly kind: Kind;
  of(object: JsonObject): JsonObject;
  /** The object with what stands in the view. */
  take(object: JsonObject, view: JsonObject): JsonObject;
}

/**
 * The one path of every change of an existing object: current state → change → rules → commit at that state.
 *
 * The current state may come from the mirror and be a moment old: a commit on it then conflicts, and an outcome
 * without a commit is told only when the store was asked. A conflict that the client did not ask for (it named no
 * resourceVersion) is tried again on the fresh state.
 */
export async function changeObject(gateway: Gateway, request: ResourceRequest, change: Change): Promise<Answer> {
  const { kind, info } = request;
  const key = keyOf(kind, info.namespace, info.name);
  const inquiry = inquiryFor(gateway, request, change);
  // those who are asked are not asked about what may be old
  let current =
    (inquiry === undefined ? gateway.objects.mirrored(kind, key.namespace, key.name) : undefined) ??
    (await gateway.objects.find(kind, key.namespace, key.name));
  const allotment = allotmentOf(gateway, request);
  if (allotment !== undefined && isDryRun(request)) await allotment.lookFirst();
  const begun = current;
  if (begun !== undefined) await readyForGrant(gateway, request, () => parseCurrent(begun));
  const station = change.admitted === 'already' ? undefined : gateway.plugins.at('UPDATE', request);
  const end = performance.now() + CONTENTION_MS;
  for (;;) {
    if (current === undefined) {
      if (change.create === undefined) throw notFound(kind.entry, info.name);
      const made = await change.create();
      if (made !== undefined) return made;
    } else {
      const done = await attempt(gateway, request, { current, change, allotment, inquiry, station });
      if (done !== undefined) return done;
    }
    if (performance.now() > end) throw conflict(kind.entry, info.name);
    current = await gateway.objects.find(kind, key.namespace, key.name);
  }
}

interface Attempt {
  readonly current: Current;
  readonly change: Change;
  readonly allotment: ServiceAddresses | undefined;
  readonly inquiry: Admitting | undefined;
  /** the built-in plugins that have a say */
  readonly station: Station | undefined;
  /** undefined: neither what is sent nor what is there is large */
  readonly steps: RequestSteps | undefined;
}

function inquiryFor(gateway: Gateway, request: ResourceRequest, { admitted }: Change): Admitting | undefined {
  if (admitted === 'already') return undefined;
  return gateway.admission.of(request, {
    operation: 'UPDATE',
    ...(admitted === undefined ? {} : { kind: admitted.kind }),
  });
}

/** undefined: the state was not the current one. */
async function attempt(
  gateway: Gateway,
  request: ResourceRequest,
  begun: Omit<Attempt, 'steps'>,
): Promise<Answer | undefined> {
  const steps = request.steps ?? gateway.largeSteps.of(isLargeJson(begun.current.value));
  const from: Attempt = { ...begun, steps };
  const isAsked =
    from.inquiry !== undefined ||
    from.station !== undefined ||
    request.conversions !== undefined ||
    steps !== undefined;
  const next = isAsked ? await askedState(gateway, request, from) : nextState(gateway, request, from);
  if (next.kind === 'changed') {
    const done = await settle(gateway, request, { ...from, next });
    if (done !== undefined) request.warnings.push(...next.warnings);
    return done;
  }
  if (from.current.confirmed) throw next.error;
  return undefined;
}

interface Changed {
  readonly kind: 'changed';
  readonly object: JsonObject;
  readonly old: JsonObject;
  readonly form: StoredForm;
  readonly guards: Guard[];
  /** nothing has changed, although it may be written in another order */
  readonly isSame: boolean;
  /** what the client should know of what it wrote */
  readonly warnings: readonly string[];
}

type Next = Changed | { kind: 'refused'; error: unknown };

/** What the change makes of a state. A refusal counts only when the state was the current one. */
function nextState(gateway: Gateway, request: ResourceRequest, from: Attempt): Next {
  try {
    const old = parseCurrent(from.current);
    const object = wantedState(gateway, request, from, old);
    refuseEscalation(gateway, request, object, old);
    judge(request, from, object, old);
    return changed(request, object, old);
  } catch (error) {
    return { kind: 'refused', error };
  }
}

/** The same, with those who want to be asked, or must be, and in steps where it is large. */
async function askedState(gateway: Gateway, request: ResourceRequest, from: Attempt): Promise<Next> {
  try {
    const old = await inStep(from, () => parseCurrent(from.current));
    const { conversions, warnings } = request;
    const wanted =
      conversions === undefined
        ? await wantedInSteps(gateway, request, from, old)
        : await conversions.replay(warnings, () => wantedState(gateway, request, from, old));
    metaOf(wanted).resourceVersion = String(from.current.revision);
    const admitted = { request, old };
    await from.station?.mutate({ ...admitted, object: wanted });
    const object = await mutated(from, wanted, old);
    if (object !== wanted) await from.station?.mutate({ ...admitted, object });
    refuseEscalation(gateway, request, object, old);
    await inStep(from, () => judge(request, from, object, old));
    await from.station?.validate({ ...admitted, object });
    await from.inquiry?.validate({ object: viewOf(from, object), old: viewOf(from, old) });
    return await inStep(from, () => changed(request, object, old));
  } catch (error) {
    return { kind: 'refused', error };
  }
}

function viewOf({ change: { admitted } }: Attempt, object: JsonObject): JsonObject {
  return admitted === undefined || admitted === 'already' ? object : admitted.of(object);
}

async function mutated(from: Attempt, object: JsonObject, old: JsonObject): Promise<JsonObject> {
  const view = viewOf(from, object);
  const made = (await from.inquiry?.mutate({ object: view, old: viewOf(from, old) })) ?? view;
  if (made === view) return object;
  const { admitted } = from.change;
  if (admitted !== undefined && admitted !== 'already') return admitted.take(object, made);
  keepServerFields(made, old);
  return made;
}

export type Making = Pick<Change, 'apply' | 'further'>;

/** What a change makes of a state. */
export function resultOf({ apply, further = [] }: Making, old: JsonObject): JsonObject {
  return further.reduce((object, step) => step(object), apply(old));
}

/** The same, each of its steps when it is its turn. */
export async function resultInSteps(
  turn: Pick<ResourceRequest, 'steps'>,
  { apply, further = [] }: Making,
  old: JsonObject,
): Promise<JsonObject> {
  let object = await inStep(turn, () => apply(old));
  for (const step of further) {
    const before = object;
    object = await inStep(turn, () => step(before));
  }
  return object;
}

function wantedState(gateway: Gateway, request: ResourceRequest, from: Attempt, old: JsonObject): JsonObject {
  const object = resultOf(from.change, old);
  settleServerFields(gateway, request, from, object, old);
  return object;
}

async function wantedInSteps(
  gateway: Gateway,
  request: ResourceRequest,
  from: Attempt,
  old: JsonObject,
): Promise<JsonObject> {
  const object = await resultInSteps(from, from.change, old);
  await inStep(from, () => settleServerFields(gateway, request, from, object, old));
  return object;
}

function settleServerFields(
  gateway: Gateway,
  request: ResourceRequest,
  { current, change }: Attempt,
  object: JsonObject,
  old: JsonObject,
): void {
  refuseStale(request, current, object);
  keepServerFields(object, old);
  if (change.ownership === 'kept') keepOwners(object, old);
  else if (change.ownership === undefined) ownChanged(gateway, request, object, old);
}

function judge(request: ResourceRequest, { allotment }: Attempt, object: JsonObject, old: JsonObject): void {
  prepareUpdate(request.kind.stored, object, old, request.info.subresource);
  allotment?.allot(object, old);
  validate(request, object, old);
}

function changed({ kind: { stored }, info }: ResourceRequest, object: JsonObject, old: JsonObject): Changed {
  const form = storedForm(stored, object);
  const guards = claimGuards(form.claims, stored.entry.claims?.(old));
  const warnings = info.subresource === '' ? (stored.entry.warn?.(object, old) ?? []) : [];
  return { kind: 'changed', object, old, form, guards, isSame: isSameState(object, old), warnings };
}

/** Nothing differs but the version, and when owners say that they changed it: a time alone is no change. */
function isSameState(object: JsonObject, old: JsonObject): boolean {
  const { resourceVersion, managedFields } = metaOf(old);
  const meta: JsonObject = { ...(metaOf(object) as JsonObject), resourceVersion: resourceVersion ?? '' };
  if (!isSame(timeless(meta.managedFields), timeless(managedFields))) return false;
  if (managedFields !== undefined) meta.managedFields = managedFields;
  return isSame({ ...object, metadata: meta }, old);
}

function timeless(owners: Json | undefined): Json {
  return Array.isArray(owners) ? owners.map((owner) => ({ ...(owner as JsonObject), time: null })) : null;
}

interface Step extends Attempt {
  readonly next: Changed;
}

/** The answer, with or without a commit. undefined: the state was not the current one. Failures to commit are told. */
async function settle(gateway: Gateway, request: ResourceRequest, step: Step): Promise<Answer | undefined> {
  const { current, next, change, allotment } = step;
  const { kind, info } = request;
  const { object, old, guards } = next;
  const show = change.show ?? ((code, json) => objectAnswer(request, code, json));
  const unchanged = next.isSame || next.form.value.equals(current.value);
  if (unchanged && !(current.confirmed && current.stale)) {
    return current.confirmed ? show(200, currentJson(current)) : undefined;
  }
  const converts = isConverted(kind) && !isRemoved(request, object);
  const written = converts ? await gateway.conversions.written(kind, object) : undefined;
  const stored = written?.stored ?? next.form;
  const shown = written?.shown ?? next.form;
  const counted = { request, object, old };
  if (isDryRun(request)) {
    if (current.confirmed) await refuseExceeding(gateway, counted);
    return current.confirmed ? show(200, withResourceVersion(shown, current.revision)) : undefined;
  }
  const key = keyOf(kind, info.namespace, info.name);
  const write = { ...writeOf(request, object, { form: stored, guards }), key, expectedRevision: current.revision };
  const outcome = await commitCounted(gateway, counted, write);
  const claim = takenClaim(request, guards, outcome);
  if (claim !== undefined && allotment !== undefined) {
    await allotment.refused(claim);
    return undefined;
  }
  if (outcome.kind === outcomeKind.committed) {
    if (converts) gateway.conversions.remember(kind, { key, object, form: shown, revision: outcome.revision });
    if (write.kind === writeKind.delete) await removeCompanion(gateway, request);
    // of an object that is gone with it, the last version that there was is shown
    const revision = write.kind === writeKind.delete ? current.revision : outcome.revision;
    return inStep(step, () => show(200, withResourceVersion(shown, revision)));
  }
  if (outcome.kind === outcomeKind.notFound && change.create !== undefined) return undefined;
  if (outcome.kind === outcomeKind.conflict && !(change.pinned && current.confirmed)) return undefined;
  throw refusal(request, key, outcome);
}

function writeOf(request: ResourceRequest, object: JsonObject, { form, guards }: Pick<Changed, 'form' | 'guards'>) {
  if (isRemoved(request, object)) return { kind: writeKind.delete, guards: removalGuards(request) };
  const { uid = '', deletionTimestamp } = metaOf(object);
  return { kind: writeKind.update, ...form, uid, deleting: deletionTimestamp !== undefined, guards };
}

function refuseStale(request: ResourceRequest, current: Current, object: JsonObject): void {
  const { kind, info } = request;
  const meta = metaOf(object);
  // a patch that changes it is refused as it is for any field that never changes
  const isPrecondition = info.verb !== 'patch' || info.subresource !== '';
  if (isPrecondition && meta.uid && meta.uid !== current.uid) {
    throw conflict(
      kind.entry,
      info.name,
      `Precondition failed: UID in precondition: ${meta.uid}, UID in object meta: ${current.uid}`,
    );
  }
  const version = meta.resourceVersion ?? '';
  if (!/^\d*$/.test(version)) throw badRequest(`invalid resource version: ${JSON.stringify(version)} is no number`);
  if (version === '' || version === '0') {
    if (kind.entry.conditionalUpdate) {
      throw invalid({ group: kind.entry.group, kind: kind.entry.kind, name: info.name }, [
        {
          ...requiredValue('metadata.resourceVersion'),
          type: 'FieldValueInvalid',
          message: 'Invalid value: 0x0: must be specified for an update',
        },
      ]);
    }
    return;
  }
  if (version !== String(current.revision)) throw conflict(kind.entry, info.name);
}

const ALWAYS_KEPT = ['creationTimestamp', 'deletionTimestamp', 'generation'] as const;
const KEPT = ['uid', 'deletionGracePeriodSeconds', 'generateName'] as const;

/** What belongs to the server comes from the old state, unless the client tried to change it to something else. */
function keepServerFields(object: JsonObject, old: JsonObject): void {
  const meta = metaOf(object);
  const before = metaOf(old);
  const kept = meta as Record<string, unknown>;
  for (const field of ALWAYS_KEPT) {
    if (before[field] !== undefined) kept[field] = before[field];
    else if (field !== 'deletionTimestamp') delete kept[field];
  }
  for (const field of KEPT) if (!meta[field] && before[field] !== undefined) kept[field] = before[field];
  delete meta.selfLink;
}

function keepOwners(object: JsonObject, old: JsonObject): void {
  const { managedFields } = metaOf(old);
  if (managedFields === undefined) delete metaOf(object).managedFields;
  else metaOf(object).managedFields = managedFields;
}

function validate({ kind, info }: ResourceRequest, object: JsonObject, old: JsonObject): void {
  const { entry } = kind.stored;
  const errors = [
    ...validateMetaUpdate(object, old),
    ...validateMeta(entry, object),
    ...(entry.validate?.(object) ?? []),
    ...(entry.validateUpdate?.(object, old, info.subresource) ?? []),
    ...(kind.entry.validateWritten?.(object, old, info.subresource) ?? []),
    ...(kind === kind.stored ? [] : (kind.entry.validateUpdate?.(object, old, info.subresource) ?? [])),
  ];
  if (errors.length > 0) throw invalid({ group: entry.group, kind: entry.kind, name: metaOf(old).name ?? '' }, errors);
}
