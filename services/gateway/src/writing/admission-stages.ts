import { metaOf } from '@tidegate/kinds';
import type { JsonObject } from '@tidegate/schema';
import { badRequest } from '@tidegate/status';
import type { Authorizer } from '../authz/authorizer.ts';
import { mayGrant, readyForGrant, refuseEscalation } from '../authz/escalation.ts';
import { keepServerFields } from './change-stages.ts';
import type { Draft, Stage } from './write.ts';

/** The built-in plugins set defaults. */
export const mutatingPlugins: Stage = {
  name: 'plugins (mutating)',
  applies: ({ plugins, write }) => plugins !== undefined && write.operation !== 'DELETE',
  run: mutateByPlugins,
};

/** The mutating webhooks change the object. The plugins run again afterwards, because webhooks may have added to it. */
export const mutatingWebhooks: Stage = {
  name: 'webhooks (mutating)',
  applies: ({ requestAdmission }) => requestAdmission !== undefined,
  run: async (draft) => {
    const { write, object: before } = draft;
    const isDeletion = write.operation === 'DELETE';
    const seen = viewOf(draft, before);
    const reviewed = { object: isDeletion ? undefined : seen, old: oldView(draft) };
    const made = await draft.requestAdmission?.mutate(reviewed);
    if (isDeletion || made === undefined || made === seen) return;
    draft.object = accepted(draft, made);
    if (draft.plugins !== undefined && draft.object !== before) await mutateByPlugins(draft);
  },
};

/** Users cannot grant rights that they do not have themselves. */
export function escalation(authorizer: Authorizer): Stage {
  return {
    name: 'escalation',
    applies: ({ request, write }) => write.operation !== 'DELETE' && mayGrant(request),
    run: async ({ request, object, old }) => {
      await readyForGrant(authorizer, request, old ?? object);
      refuseEscalation(authorizer, request, object, old);
    },
  };
}

/** The built-in plugins check the object that will be stored. */
export const validatingPlugins: Stage = {
  name: 'plugins (validating)',
  applies: ({ plugins, write }) => plugins !== undefined && write.operation !== 'DELETE',
  run: ({ plugins, request, object, old }) => plugins?.validate({ request, object, old }),
};

/** Policies, and then all validating webhooks at the same time, check the object that will be stored. */
export const validatingWebhooks: Stage = {
  name: 'policies and webhooks (validating)',
  applies: ({ requestAdmission }) => requestAdmission !== undefined,
  run: (draft) => {
    const object = draft.write.operation === 'DELETE' ? undefined : viewOf(draft, draft.object);
    return draft.requestAdmission?.validate({ object, old: oldView(draft) });
  },
};

function mutateByPlugins({ plugins, request, object, old }: Draft): Promise<void> | undefined {
  return plugins?.mutate({ request, object, old });
}

function viewOf({ write: { view } }: Draft, object: JsonObject): JsonObject {
  return view === undefined ? object : view.of(object);
}

function oldView(draft: Draft): JsonObject | undefined {
  return draft.old === undefined ? undefined : viewOf(draft, draft.old);
}

/** Takes over the object that webhooks changed, except for its identity and version. */
function accepted({ write: { view }, object, old }: Draft, made: JsonObject): JsonObject {
  if (view !== undefined) return view.take(object, made);
  if (old !== undefined) {
    keepServerFields(made, old);
    return made;
  }
  if ((metaOf(made).namespace ?? '') !== (metaOf(object).namespace ?? '')) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
  delete metaOf(made).resourceVersion;
  return made;
}
