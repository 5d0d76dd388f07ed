import { forbiddenObject, invalid, invalidValue, notFound } from '@tidegate/status';
import { deleteCorruptKind } from '@tidegate/wire';
import { operationId } from '../clients/operation-id.ts';
import { successAnswer } from '../codec/answer.ts';
import type { Gateway } from '../gateway.ts';
import { keyOf } from '../objects/objects.ts';
import type { Answer, ResourceRequest } from '../request/resource-request.ts';
import { IGNORE_READ_ERRORS } from '../writing/delete-options.ts';

/**
 * DELETE with ignoreStoreReadErrorWithClusterBreakingPotential: an object that cannot be read is removed, whatever
 * holds it. The store decides on the stored bytes, as part of the same call that removes them.
 */
export async function deleteCorrupt(gateway: Gateway, request: ResourceRequest): Promise<Answer> {
  const { kind, info, user, span } = request;
  const refused = await gateway.authorizer.refusal(user, { ...info, verb: 'unsafe-delete-ignore-read-errors' });
  if (refused !== undefined)
    throw forbiddenObject(
      kind.entry,
      info.name,
      `not permitted to do "unsafe-delete-ignore-read-errors", reason: ${refused.message}`,
    );
  const key = keyOf(kind, info.namespace, info.name);
  const done = await gateway.store.deleteCorrupt({
    key,
    operationId: operationId(),
    ...(span === undefined ? {} : { traceparent: span.traceparent }),
  });
  switch (done.kind) {
    case deleteCorruptKind.notFound:
      throw notFound(kind.entry, info.name);
    case deleteCorruptKind.readable:
      throw invalid({ group: kind.entry.group, kind: kind.entry.kind, name: info.name }, [
        invalidValue(
          IGNORE_READ_ERRORS,
          true,
          'is exclusively used to delete corrupt object(s), try again by removing this option',
        ),
      ]);
    case deleteCorruptKind.deleted:
      gateway.mirrors.clear(key);
      return successAnswer(request, done.uid);
  }
}
