import { type JsonObject, printTime } from '@tidegate/schema';
import type { FieldError } from '@tidegate/status';
import type { ByResource, Family } from '../family.ts';
import type { KindRules } from '../kind-entry.ts';
import { label1035, oneOf, required, subdomain } from '../rules/checks.ts';
import { defaulter, type SetDefaults } from '../rules/default-rules.ts';
import { valueAt } from '../rules/fields.ts';
import { Place } from '../rules/place.ts';
import { type RuleTable, type UpdateChecks, unchecked } from '../rules/type-rules.ts';
import { CLEANUP, type Condition } from './definition.ts';
import { checkDefinition, checkDefinitionUpdate } from './definition-rules.ts';
import { withConditions } from './names.ts';
import { checkDefinitionRules } from './rules/check-rules.ts';

const DELETING: Condition = {
  type: 'Terminating',
  status: 'True',
  reason: 'InstanceDeletionPending',
  message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
};

/** The storage versions: only one is valid, and the first is used before validation. */
function storedNames(definition: JsonObject): string[] {
  const versions = (valueAt(definition, 'spec.versions') ?? []) as JsonObject[];
  const stored = versions.find(({ storage }) => storage === true);
  return stored === undefined ? [] : [stored.name as string];
}

/** The errors of the rules of a new definition. */
function newDefinitionErrors(definition: JsonObject): FieldError[] {
  const errors: FieldError[] = [];
  checkDefinitionRules(new Place(undefined, '', definition, errors));
  return errors;
}

const defaults: ByResource<SetDefaults> = {
  'customresourcedefinitions.apiextensions.k8s.io': defaulter({
    'spec.names.singular': ({ kind }) => String(kind ?? '').toLowerCase(),
    'spec.names.listKind': ({ kind }) => `${String(kind ?? '')}List`,
    'spec.conversion': { strategy: 'None' },
    'spec.conversion.webhook.clientConfig.service.port': 443,
  }),
};

const rules: ByResource<KindRules> = {
  'customresourcedefinitions.apiextensions.k8s.io': {
    generationPaths: ['spec'],
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
};

const definitionChecks: RuleTable = {
  'apiextensions.v1.CustomResourceDefinition': { '': checkDefinition },
  'apiextensions.v1.CustomResourceDefinitionSpec': {
    group: [required(), subdomain],
    scope: [required(), oneOf('Cluster', 'Namespaced')],
  },
  'apiextensions.v1.CustomResourceDefinitionNames': {
    plural: [required(), label1035],
    kind: required(),
  },
  'apiextensions.v1.CustomResourceValidation': { openAPIV3Schema: unchecked },
};

const updates: ByResource<UpdateChecks> = {
  'customresourcedefinitions.apiextensions.k8s.io': { '': checkDefinitionUpdate },
};

export const custom: Family = { rules, defaults, updates, types: definitionChecks };
