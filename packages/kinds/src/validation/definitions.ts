import { isJsonObject, type JsonObject } from '@tidegate/schema';
import { label1035, oneOf, required, subdomain } from './checks.ts';
import type { Place } from './place.ts';
import { type Check, type RuleTable, unchecked } from './rules.ts';

const STORAGE = 'must have exactly one version marked as storage version';

const definition: Check = (object) => {
  const spec = object.field('spec');
  const names = spec.field('names');
  const name = object.field('metadata.name');
  if (name.text !== `${names.field('plural').text}.${spec.field('group').text}`) {
    name.invalid('must be spec.names.plural+"."+spec.group');
  }
  const kind = names.field('kind').text;
  for (const [field, standIn] of [
    ['singular', ''],
    ['listKind', 'List'],
  ] as const) {
    const one = names.field(field);
    if (one.isEmpty || (kind === '' && one.text === standIn)) one.required();
  }
  versions(spec.field('versions'), object);
};

function versions(list: Place, object: Place): void {
  const all = list.list as readonly JsonObject[];
  if (new Set(all.map(({ name }) => name)).size < all.length) list.invalid('must contain unique version names');
  const stored = all.filter(({ storage }) => storage === true);
  if (stored.length !== 1) list.invalid(STORAGE);
  const known = object.field('status.storedVersions');
  if (stored.length === 0) known.invalid('must have at least one stored version');
  const [one, other] = stored;
  if (other !== undefined && one?.name !== other.name) {
    known.invalid(`must have the storage version ${String(other.name)}`);
  }
  for (const version of list.items()) {
    const schema = version.field('schema.openAPIV3Schema');
    if (schema.value === undefined) schema.required();
    else if (isJsonObject(schema.value)) typed(object.as('spec.validation.openAPIV3Schema', schema.value));
  }
}

const TYPE_WORDS = 'must not be empty for specified object fields';

/** Every field of a structural schema says its type. */
function typed(schema: Place): void {
  for (const [name, property] of Object.entries(schema.field('properties').object)) {
    const place = schema.as(`properties[${name}]`, property);
    const free =
      place.object['x-kubernetes-int-or-string'] === true ||
      place.object['x-kubernetes-preserve-unknown-fields'] === true;
    if (!free && place.field('type').isEmpty) place.field('type').required(TYPE_WORDS);
    typed(place);
  }
  if (isJsonObject(schema.object.items)) typed(schema.field('items'));
}

const apiService: Check = (object) => {
  const spec = object.field('spec');
  const wanted = `${spec.field('version').text}.${spec.field('group').text}`;
  const name = object.field('metadata.name');
  if (name.text !== wanted) name.invalid(`must be \`spec.version+"."+spec.group\`: ${JSON.stringify(wanted)}`);
};

export const definitionRules: RuleTable = {
  'apiextensions.v1.CustomResourceDefinition': { '': definition },
  'apiextensions.v1.CustomResourceDefinitionSpec': {
    group: [required(), subdomain],
    scope: [required(), oneOf('Cluster', 'Namespaced')],
  },
  'apiextensions.v1.CustomResourceDefinitionNames': {
    plural: [required(), label1035],
    kind: required(),
  },
  'apiextensions.v1.CustomResourceValidation': { openAPIV3Schema: unchecked },
  'apiregistration.v1.APIService': { '': apiService },
};
