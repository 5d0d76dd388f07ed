import { isConverted } from '@tidegate/kinds';
import { conflict, forbiddenObject } from '@tidegate/status';
import { outcomeKind, writeKind } from '@tidegate/wire';
import { objectAnswer, successAnswer } from '../codec/answer.ts';
import { storedForm, withResourceVersion } from '../codec/stored-form.ts';
import type { Gateway, VerbHandler } from '../gateway.ts';
import { isLargeJson } from '../limits/large-steps.ts';
import { type Current, currentJson, keyOf, parseCurrent } from '../objects/objects.ts';
import { type Answer, inStep, type ResourceRequest } from '../request/resource-request.ts';
import { CONTENTION_MS, commit, refusal } from '../rules/commit.ts';
import { removeCompanion } from '../rules/companion.ts';
import { type DeleteOptions, deleteOptions, deleteOptionsShown } from '../rules/delete-options.ts';
import { deletionOf } from '../rules/deletion.ts';
import { removalGuards } from '../rules/removal.ts';
import { deleteCorrupt } from './delete-corrupt.ts';

/** DELETE of one object: removal, or the first of its two phases when something holds it. */
export const deleteOne: VerbHandler = async (gateway, request) => {
  const { entry } = request.kind;
  if (entry.undeletable?.includes(request.info.name)) {
    throw forbiddenObject(entry, request.info.name, 'this namespace may not be deleted');
  }
  const options = deleteOptions(gateway, request);
  return options.ignoreReadErrors ? deleteCorrupt(gateway, request) : deleteObject(gateway, request, options);
};

/** A delete names no version unless it has preconditions, so it is tried again when the object changes under it. */
export async function deleteObject(
  gateway: Gateway,
  request: ResourceRequest,
  options: DeleteOptions,
): Promise<Answer> {
  const { kind, info } = request;
  const end = performance.now() + CONTENTION_MS;
  for (;;) {
    const current = await gateway.objects.get(kind, info.namespace, info.name);
    refusePreconditions(request, options, current);
    const done = await attemptDelete(gateway, request, options, current);
    if (done !== undefined) return done;
    if (performance.now() > end) throw conflict(kind.entry, info.name);
  }
}

async function attemptDelete(
  gateway: Gateway,
  request: ResourceRequest,
  options: DeleteOptions,
  current: Current,
): Promise<Answer | undefined> {
  const { kind, info } = request;
  const key = keyOf(kind, info.namespace, info.name);
  const turn = { steps: gateway.largeSteps.of(isLargeJson(current.value)) };
  const deletion = await inStep(turn, () => deletionOf(kind, parseCurrent(current), options));
  if (deletion.kind === 'pending') return stillThere(request, options, currentJson(current));
  await ask(gateway, request, options, current);
  const isRemoved = deletion.kind === 'removed';
  const form = await inStep(turn, () => storedForm(kind.stored, deletion.object));
  const answer = (revision: number): Answer => {
    const json = withResourceVersion(form, revision);
    if (!isRemoved) return stillThere(request, options, json);
    return kind.stored.entry.deleteReturnsObject
      ? objectAnswer(request, 200, json)
      : successAnswer(request, current.uid);
  };
  if (options.dryRun || (!isRemoved && form.value.equals(current.value))) return answer(current.revision);
  const converts = isConverted(kind) && !isRemoved;
  const stored = converts ? (await gateway.conversions.written(kind, deletion.object)).stored : form;
  const outcome = await commit(gateway, request, {
    ...(isRemoved
      ? { kind: writeKind.delete, guards: removalGuards(request) }
      : { kind: writeKind.update, ...stored, uid: current.uid, deleting: true }),
    key,
    expectedRevision: current.revision,
  });
  if (outcome.kind === outcomeKind.conflict) return undefined;
  if (outcome.kind !== outcomeKind.committed) throw refusal(request, key, outcome);
  if (isRemoved) await removeCompanion(gateway, request);
  return answer(outcome.revision);
}

/** Who may refuse a deletion sees what goes. */
async function ask(
  gateway: Gateway,
  request: ResourceRequest,
  options: DeleteOptions,
  current: Current,
): Promise<void> {
  if (options.isAdmitted) return;
  const inquiry = gateway.admission.of(request, {
    operation: 'DELETE',
    options: () => deleteOptionsShown(options),
    isDryRun: options.dryRun,
  });
  if (inquiry === undefined) return;
  const objects = { object: undefined, old: parseCurrent(current) };
  await inquiry.mutate(objects);
  await inquiry.validate(objects);
}

/** Only who says that dependents are to go, in the old way, hears that it is not done yet. */
function stillThere(request: ResourceRequest, { orphanDependents }: DeleteOptions, json: Buffer): Answer {
  return objectAnswer(request, orphanDependents === false ? 202 : 200, json);
}

function refusePreconditions({ kind, info }: ResourceRequest, options: DeleteOptions, current: Current): void {
  const precondition = (what: string, wanted: string, found: string, meaning: string) =>
    conflict(
      { group: kind.entry.group, resource: kind.entry.kind },
      info.name,
      `the ${what} in the precondition (${wanted}) does not match the ${what} in record (${found}). The object might have been ${meaning}`,
    );
  if (options.uid !== undefined && options.uid !== current.uid) {
    throw precondition('UID', options.uid, current.uid, 'deleted and then recreated');
  }
  const version = String(current.revision);
  if (options.resourceVersion !== undefined && options.resourceVersion !== version) {
    throw precondition('ResourceVersion', options.resourceVersion, version, 'modified');
  }
}
