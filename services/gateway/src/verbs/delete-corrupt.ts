import { forbiddenObject, invalid, invalidValue, notFound } from '@tidegate/status';
import { deleteCorruptKind } from '@tidegate/wire';
import type { Authorizer } from '../authz/authorizer.ts';
import type { StoreSession } from '../clients/store-session.ts';
import { operationId } from '../clients/store-session.ts';
import { successAnswer } from '../codec/answer.ts';
import type { Mirrors } from '../mirror/mirrors.ts';
import { keyOf } from '../objects/objects.ts';
import type { Answer, ResourceRequest } from '../request/resource-request.ts';
import { IGNORE_READ_ERRORS } from '../writing/delete-options.ts';

export interface DeleteCorruptPorts {
  readonly authorizer: Pick<Authorizer, 'refusal'>;
  readonly store: Pick<StoreSession, 'deleteCorrupt'>;
  readonly mirrors: Pick<Mirrors, 'clear'>;
}

/**
 * DELETE with ignoreStoreReadErrorWithClusterBreakingPotential: an object that cannot be read is removed, whatever
 * holds it. The store decides on the stored bytes, as part of the same call that removes them.
 */
export async function deleteCorrupt(ports: DeleteCorruptPorts, request: ResourceRequest): Promise<Answer> {
  const { kind, info, user, span } = request;
  const refused = await ports.authorizer.refusal(user, { ...info, verb: 'unsafe-delete-ignore-read-errors' });
  if (refused !== undefined)
    throw forbiddenObject(
      kind.entry,
      info.name,
      `not permitted to do "unsafe-delete-ignore-read-errors", reason: ${refused.message}`,
    );
  const key = keyOf(kind, info.namespace, info.name);
  const done = await ports.store.deleteCorrupt({
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
      ports.mirrors.clear(key);
      return successAnswer(request, done.uid);
  }
}
