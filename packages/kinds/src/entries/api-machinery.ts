import { type JsonObject, printTime } from '@tidegate/schema';
import { locallyAvailable } from '../custom/api-services.ts';
import { CLEANUP, type Condition } from '../custom/definition.ts';
import { withConditions } from '../custom/names.ts';
import type { KindRules } from '../kind-entry.ts';
import { newDefinitionErrors } from '../validation/create.ts';
import { valueAt } from './fields.ts';

/** What extends the API: admission, and resources and groups of others' making. */
export const admissionRules: Readonly<Record<string, KindRules>> = {
  'mutatingwebhookconfigurations.admissionregistration.k8s.io': { counts: ['webhooks'], conditionalUpdate: true },
  'validatingwebhookconfigurations.admissionregistration.k8s.io': { counts: ['webhooks'], conditionalUpdate: true },
  'validatingadmissionpolicies.admissionregistration.k8s.io': { counts: ['spec'], conditionalUpdate: true },
  'validatingadmissionpolicybindings.admissionregistration.k8s.io': { counts: ['spec'], conditionalUpdate: true },
};

export const apiExtensionRules: Readonly<Record<string, KindRules>> = {
  'customresourcedefinitions.apiextensions.k8s.io': {
    counts: ['spec'],
    conditionalUpdate: true,
    lastFinalizer: CLEANUP,
    validateCreate: newDefinitionErrors,
    deleteReturnsObject: true,
    prepareCreate: (definition) => {
      definition.status = { ...((definition.status ?? {}) as JsonObject), storedVersions: storedNames(definition) };
    },
    prepareUpdate: (definition, _old, subresource) => {
      if (subresource !== '') return;
      const status = (definition.status ?? {}) as JsonObject;
      const known = (status.storedVersions ?? []) as string[];
      const fresh = storedNames(definition).filter((name) => !known.includes(name));
      if (fresh.length > 0) definition.status = { ...status, storedVersions: [...known, ...fresh] };
    },
    prepareDelete: (definition) => {
      const status = (definition.status ?? {}) as JsonObject;
      const conditions = withConditions((status.conditions ?? []) as unknown as Condition[], [DELETING], printTime());
      definition.status = { ...status, conditions: conditions as unknown as JsonObject[] };
    },
  },
  'apiservices.apiregistration.k8s.io': {
    name: 'path-segment',
    conditionalUpdate: true,
    prepareCreate: (apiService) => {
      if (valueAt(apiService, 'spec.service') === undefined) apiService.status = { conditions: [locallyAvailable()] };
    },
  },
};

const DELETING: Condition = {
  type: 'Terminating',
  status: 'True',
  reason: 'InstanceDeletionPending',
  message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
};

/** There is one; where it says several it is refused, and the first counts until then. */
function storedNames(definition: JsonObject): string[] {
  const versions = (valueAt(definition, 'spec.versions') ?? []) as JsonObject[];
  const stored = versions.find(({ storage }) => storage === true);
  return stored === undefined ? [] : [stored.name as string];
}
