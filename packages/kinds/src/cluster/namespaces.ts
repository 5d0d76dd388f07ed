import { type JsonObject, setOwn } from '@tidegate/schema';
import type { Family } from '../family.ts';
import type { KindRules } from '../kind-entry.ts';
import { metaOf } from '../objects/generic-object.ts';
import { standardFinalizerProblems } from '../objects/metadata.ts';
import { labelKeyProblems } from '../objects/names.ts';
import { cellAt } from '../rules/cells.ts';
import { ageColumn, column, nameColumn } from '../rules/columns.ts';
import type { Check } from '../rules/type-rules.ts';

/** The finalizer in spec.finalizers that the namespace controller removes when the namespace is empty. */
const KUBERNETES = 'kubernetes';
const NAME_LABEL = 'kubernetes.io/metadata.name';

const rules: KindRules = {
  name: 'label',
  selectableFields: { 'status.phase': phaseOf },
  deleteReturnsObject: true,
  setDefaults: labelWithName,
  undeletable: ['default', 'kube-system', 'kube-public'],
  prepareCreate: (object) => {
    object.status = { phase: 'Active' };
    object.spec ??= {};
    const spec = object.spec as JsonObject;
    const finalizers = Array.isArray(spec.finalizers) ? spec.finalizers : [];
    spec.finalizers = finalizers.includes(KUBERNETES) ? finalizers : [...finalizers, KUBERNETES];
    labelWithName(object);
  },
  prepareUpdate: (object, old, subresource) => {
    // only /finalize changes the finalizers
    if (subresource !== 'finalize') keep(object, old, 'spec');
    if (subresource === 'finalize') keep(object, old, 'status');
    labelWithName(object);
  },
  prepareDelete: (object) => {
    object.status ??= {};
    (object.status as JsonObject).phase = 'Terminating';
  },
  held: (object) => {
    const finalizers = (object.spec as JsonObject | undefined)?.finalizers;
    return Array.isArray(finalizers) && finalizers.length > 0;
  },
};

function phaseOf(object: JsonObject): string {
  const phase = (object.status as JsonObject | undefined)?.phase;
  return typeof phase === 'string' ? phase : '';
}

function keep(object: JsonObject, old: JsonObject, field: string): void {
  const before = old[field];
  if (before === undefined) delete object[field];
  else object[field] = before;
}

function labelWithName(object: JsonObject): void {
  const meta = metaOf(object);
  if (meta.name === undefined || meta.name === '') return;
  meta.labels ??= {};
  setOwn(meta.labels, NAME_LABEL, meta.name);
}

const namespaceFinalizers: Check = (place) => {
  for (const finalizer of place.list.map(String)) {
    place.invalidFor(labelKeyProblems(finalizer), finalizer);
    place.invalidFor(standardFinalizerProblems(finalizer), finalizer);
  }
};

export const namespaces: Family = {
  rules: { namespaces: rules },
  columns: {
    namespaces: [nameColumn, column('Status', 'Phase of the namespace', cellAt('status.phase')), ageColumn],
  },
  types: { 'core.v1.NamespaceSpec': { finalizers: namespaceFinalizers } },
};
