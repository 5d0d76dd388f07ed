import type { JsonObject } from '@tidegate/schema';
import type { KindRules } from '../kind-entry.ts';
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
    prepareCreate: (definition) => {
      const versions = (valueAt(definition, 'spec.versions') ?? []) as JsonObject[];
      const stored = versions.filter(({ storage }) => storage === true).map(({ name }) => name as string);
      definition.status = { ...((definition.status ?? {}) as JsonObject), storedVersions: stored };
    },
  },
  'apiservices.apiregistration.k8s.io': { name: 'path-segment', conditionalUpdate: true },
};
