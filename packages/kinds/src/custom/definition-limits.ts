import type { JsonObject } from '@tidegate/schema';
import type { Place } from '../validation/place.ts';
import type { JsonSchema } from './json-schema.ts';

/**
 * How much one definition may say, far beyond what anybody uses. Each version is a group version of its own in discovery
 * and OpenAPI, each rule is compiled wherever the kind is served: thousands of them would hold up every gateway.
 */
const MOST_VERSIONS = 100;
/** of one version */
const MOST_COLUMNS = 100;
/** of one version, as in Kubernetes */
const MOST_SELECTABLE = 8;
/** of each list of names: shortNames, categories, conversionReviewVersions */
const MOST_NAMES = 100;
/** of all versions together, each as often as it stands in a schema of its own */
const MOST_RULES = 2000;

/** Says which lists of a definition are too long. Where it says so nothing else is looked at. */
export function checkDefinitionLimits(spec: Place): void {
  spec.field('versions').atMost(MOST_VERSIONS);
  for (const field of ['shortNames', 'categories']) spec.field('names').field(field).atMost(MOST_NAMES);
  spec.field('conversion.webhook.conversionReviewVersions').atMost(MOST_NAMES);
  const before = spec.errorCount;
  const versions = spec.field('versions').items();
  for (const version of versions) {
    version.field('additionalPrinterColumns').atMost(MOST_COLUMNS);
    version.field('selectableFields').atMost(MOST_SELECTABLE);
  }
  if (spec.errorCount === before) checkRules(spec, versions);
}

function checkRules(spec: Place, versions: readonly Place[]): void {
  let rules = 0;
  for (const version of versions) {
    const schema = version.field('schema.openAPIV3Schema');
    rules += rulesIn(schema.object as JsonSchema);
    if (rules <= MOST_RULES) continue;
    const what = `must have at most ${MOST_RULES} x-kubernetes-validations in all versions together`;
    spec.field('versions').forbidden(what);
    return;
  }
}

function rulesIn(schema: JsonSchema): number {
  const { properties = {}, items, additionalProperties, allOf = [], anyOf = [], oneOf = [], not } = schema;
  const own = (schema['x-kubernetes-validations'] ?? []).length;
  const inner = [...Object.values(properties), items, additionalProperties, ...allOf, ...anyOf, ...oneOf, not];
  let count = own;
  for (const one of inner)
    if (typeof one === 'object' && one !== null) count += rulesIn(one as JsonSchema & JsonObject);
  return count;
}
