import { metaOf, prepareUpdate, validateMeta, validateMetaUpdate } from '@tidegate/kinds';
import type { JsonObject } from '@tidegate/schema';
import { conflict, invalid, requiredValue } from '@tidegate/status';
import { type Guard, guardKind, outcomeKind, writeKind } from '@tidegate/wire';
import type { ServiceAddresses } from '../addresses/service-addresses.ts';
import { objectAnswer } from '../codec/answer.ts';
import { type StoredForm, storedForm, withResourceVersion } from '../codec/stored-form.ts';
import type { Answer, Gateway, ResourceRequest } from '../gateway.ts';
import { isDryRun } from './admit-object.ts';
import { allotmentOf, claimGuards, takenClaim } from './allotment.ts';
import { commit, keyOf, refusal } from './commit.ts';
import { type Current, currentJson, fromMirror, fromStore, parseCurrent } from './current.ts';

export interface Change {
  /** Makes the new state from the current one. It may be called again with a fresher one; it must not change it. */
  apply: (current: JsonObject) => JsonObject;
  /** the client named the version that it means to change */
  pinned: boolean;
  /** how the object is shown, where that is not as it is */
  show?: (code: number, json: Buffer) => Answer;
}

/** Clients give up after a minute; contention is over long before. */
const PATIENCE_MS = 30_000;

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
  let current = fromMirror(gateway, key) ?? (await fromStore(gateway, request, key));
  const allotment = allotmentOf(gateway, request);
  if (allotment !== undefined && isDryRun(request)) await allotment.lookFirst();
  const end = performance.now() + PATIENCE_MS;
  for (;;) {
    const next = nextState(request, current, { ...change, allotment });
    if (next.kind === 'refused' && current.confirmed) throw next.error;
    if (next.kind === 'changed') {
      const done = await settle(gateway, request, { current, next, change, allotment });
      if (done !== undefined) return done;
    }
    if (performance.now() > end) throw conflict(kind.entry, info.name);
    current = await fromStore(gateway, request, key);
  }
}

interface Changed {
  readonly kind: 'changed';
  readonly object: JsonObject;
  readonly form: StoredForm;
  readonly guards: Guard[];
}

/** What the change makes of a state. A refusal counts only when the state was the current one. */
function nextState(
  request: ResourceRequest,
  current: Current,
  change: Change & { allotment: ServiceAddresses | undefined },
): Changed | { kind: 'refused'; error: unknown } {
  try {
    const old = parseCurrent(current);
    const object = change.apply(old);
    refuseStale(request, current, object);
    keepServerFields(request, object, old);
    change.allotment?.allot(object, old);
    validate(request, object, old);
    const { stored } = request.kind;
    const form = storedForm(stored, object);
    return { kind: 'changed', object, form, guards: claimGuards(form.claims, stored.entry.claims?.(old)) };
  } catch (error) {
    return { kind: 'refused', error };
  }
}

interface Step {
  current: Current;
  next: Changed;
  change: Change;
  allotment: ServiceAddresses | undefined;
}

/** The answer, with or without a commit. undefined: the state was not the current one. Failures to commit are told. */
async function settle(
  gateway: Gateway,
  request: ResourceRequest,
  { current, next, change, allotment }: Step,
): Promise<Answer | undefined> {
  const { kind, info } = request;
  const { object, form, guards } = next;
  const show = change.show ?? ((code, json) => objectAnswer(request, code, json));
  const unchanged = form.value.equals(current.value);
  if (unchanged && !(current.confirmed && current.stale)) {
    return current.confirmed ? show(200, currentJson(current)) : undefined;
  }
  if (isDryRun(request)) {
    return current.confirmed ? show(200, withResourceVersion(form, current.revision)) : undefined;
  }
  const key = keyOf(kind, info.namespace, info.name);
  const write = { ...writeOf(request, object, next), key, expectedRevision: current.revision };
  const outcome = await commit(gateway, request, write);
  const claim = takenClaim(request, guards, outcome);
  if (claim !== undefined && allotment !== undefined) {
    await allotment.refused(claim);
    return undefined;
  }
  if (outcome.kind === outcomeKind.committed) {
    return show(200, withResourceVersion(form, outcome.revision));
  }
  if (outcome.kind === outcomeKind.conflict && !(change.pinned && current.confirmed)) return undefined;
  throw refusal(request, key, outcome);
}

/** A deleting object that nothing holds any more is removed by the change that let it go. */
function writeOf(request: ResourceRequest, object: JsonObject, { form, guards }: Changed) {
  const meta = metaOf(object);
  const deleting = meta.deletionTimestamp !== undefined;
  const held = (meta.finalizers ?? []).length > 0 || (request.kind.stored.entry.held?.(object) ?? false);
  if (!deleting || held) return { kind: writeKind.update, ...form, uid: meta.uid ?? '', deleting, guards };
  return { kind: writeKind.delete, guards: removalGuards(request) };
}

/** A namespace goes last: only when nothing is left in it. */
export function removalGuards({ kind, info }: ResourceRequest): Guard[] {
  return kind.storedAs === 'namespaces'
    ? [{ kind: guardKind.namespaceEmpty, key: { resource: kind.storedAs, namespace: '', name: info.name } }]
    : [];
}

function refuseStale(request: ResourceRequest, current: Current, object: JsonObject): void {
  const { kind, info } = request;
  const meta = metaOf(object);
  if (meta.uid && meta.uid !== current.uid) {
    throw conflict(
      kind.entry,
      info.name,
      `Precondition failed: UID in precondition: ${meta.uid}, UID in object meta: ${current.uid}`,
    );
  }
  const version = meta.resourceVersion ?? '';
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

/** What belongs to the server comes from the old state, unless the client tried to change it to something else. */
function keepServerFields(request: ResourceRequest, object: JsonObject, old: JsonObject): void {
  const meta = metaOf(object);
  const before = metaOf(old);
  for (const field of [
    'uid',
    'creationTimestamp',
    'deletionTimestamp',
    'deletionGracePeriodSeconds',
    'generateName',
    'generation',
  ] as const) {
    if (before[field] === undefined) {
      if (field === 'generateName' || field === 'generation') delete meta[field];
    } else if (meta[field] === undefined || field === 'generation')
      (meta as Record<string, unknown>)[field] = before[field];
  }
  delete (meta as { selfLink?: string }).selfLink;
  delete (meta as { managedFields?: unknown }).managedFields;
  prepareUpdate(request.kind.stored, object, old, request.info.subresource);
}

function validate({ kind, info }: ResourceRequest, object: JsonObject, old: JsonObject): void {
  const { entry } = kind.stored;
  const errors = [
    ...validateMetaUpdate(object, old),
    ...validateMeta(entry, object),
    ...(entry.validate?.(object) ?? []),
    ...(entry.validateUpdate?.(object, old, info.subresource) ?? []),
    ...(kind === kind.stored ? [] : (kind.entry.validateUpdate?.(object, old, info.subresource) ?? [])),
  ];
  if (errors.length > 0) throw invalid({ group: entry.group, kind: entry.kind, name: metaOf(old).name ?? '' }, errors);
}
