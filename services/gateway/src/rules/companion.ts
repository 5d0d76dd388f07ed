import { type Kind, metaOf } from '@tidegate/kinds';
import { ApiError } from '@tidegate/status';
import { outcomeKind, writeKind } from '@tidegate/wire';
import { storedForm } from '../codec/stored-form.ts';
import type { Gateway } from '../gateway.ts';
import { keyOf, parseCurrent } from '../objects/objects.ts';
import type { ResourceRequest } from '../request/resource-request.ts';
import { CONTENTION_MS, commit } from './commit.ts';
import { deletionOf } from './deletion.ts';

/**
 * What bears the name of an object that was just removed goes with it: the Endpoints of a Service. The object is gone by
 * then, so a failure here changes nothing of the answer.
 */
export async function removeCompanion(gateway: Gateway, request: ResourceRequest): Promise<void> {
  const { companion, group, version } = request.kind.stored.entry;
  const kind = companion && gateway.registry.find(group, version, companion);
  if (!kind) return;
  try {
    const end = performance.now() + CONTENTION_MS;
    while (!(await attempt(gateway, { ...request, kind }, kind)) && performance.now() < end);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
  }
}

/** Answers whether it is done; not, when somebody wrote it meanwhile. */
async function attempt(gateway: Gateway, request: ResourceRequest, kind: Kind): Promise<boolean> {
  const key = keyOf(kind, request.info.namespace, request.info.name);
  const current = await gateway.objects.find(kind, key.namespace, key.name);
  if (current === undefined) return true;
  const { kind: becomes, object } = deletionOf(kind, parseCurrent(current), {
    graceSeconds: undefined,
    propagation: undefined,
  });
  const form = storedForm(kind, object);
  if (becomes === 'pending' || (becomes === 'marked' && form.value.equals(current.value))) return true;
  const { kind: outcome } = await commit(gateway, request, {
    ...(becomes === 'removed'
      ? { kind: writeKind.delete }
      : { kind: writeKind.update, ...form, uid: metaOf(object).uid ?? '', deleting: true }),
    key,
    expectedRevision: current.revision,
  });
  return outcome !== outcomeKind.conflict;
}
