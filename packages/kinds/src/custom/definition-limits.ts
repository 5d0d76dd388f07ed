import type { Place } from '../rules/place.ts';
import type { JsonSchema } from './values/json-schema.ts';

/**
 * The limits of one definition, far above normal use. Each version is a group version of its own in discovery and
 * OpenAPI, and every gateway compiles each rule: thousands of them would block every gateway.
 */
export const DEFINITION_LIMITS = {
  versions: 100,
  /** per version */
  columns: 100,
  /** per version, as in Kubernetes */
  selectableFields: 8,
  /** per list of names: shortNames, categories, conversionReviewVersions */
  names: 100,
  /** x-kubernetes-validations of all versions; the next three limits are for all versions, too */
  rules: 2000,
  /** characters of their expressions */
  expressions: 256 << 10,
  /** schemas that rules can see: a schema below three others with rules counts three times */
  seen: 250_000,
  /** different patterns */
  patterns: 500,
} as const;

/** Adds errors for exceeded limits. The rest of such a definition is not checked. */
export function checkDefinitionLimits(spec: Place): void {
  const before = spec.errorCount;
  const names = spec.field('names');
  spec.field('versions').atMost(DEFINITION_LIMITS.versions);
  for (const field of ['shortNames', 'categories']) names.field(field).atMost(DEFINITION_LIMITS.names);
  spec.field('conversion.webhook.conversionReviewVersions').atMost(DEFINITION_LIMITS.names);
  if (spec.errorCount > before) return;
  const versions = spec.field('versions').items();
  for (const version of versions) {
    version.field('additionalPrinterColumns').atMost(DEFINITION_LIMITS.columns);
    version.field('selectableFields').atMost(DEFINITION_LIMITS.selectableFields);
  }
  const sums = new SchemaSums();
  for (const version of versions) {
    const schema = version.field('schema.openAPIV3Schema');
    sums.add(schema.object as JsonSchema);
    const problem = sums.problem();
    if (problem === undefined) continue;
    schema.forbidden(problem);
    return;
  }
}

/** The sums over all schemas of a definition. */
class SchemaSums {
  #rules = 0;
  #expressions = 0;
  #seen = 0;
  readonly #patterns = new Set<string>();

  add(schema: JsonSchema): void {
    this.#within(schema);
  }

  problem(): string | undefined {
    const found: ReadonlyArray<readonly [what: string, count: number, most: number]> = [
      ['x-kubernetes-validations', this.#rules, DEFINITION_LIMITS.rules],
      ['characters of expressions in x-kubernetes-validations', this.#expressions, DEFINITION_LIMITS.expressions],
      ['schemas below those with x-kubernetes-validations', this.#seen, DEFINITION_LIMITS.seen],
      ['different patterns', this.#patterns.size, DEFINITION_LIMITS.patterns],
    ];
    const over = found.find(([, count, most]) => count > most);
    return over && `all versions together must have at most ${over[2]} ${over[0]}`;
  }

  /** The number of schemas, including this one. */
  #within(schema: JsonSchema): number {
    const { properties = {}, items, additionalProperties, allOf = [], anyOf = [], oneOf = [], not } = schema;
    const inner = [...Object.values(properties), items, additionalProperties, ...allOf, ...anyOf, ...oneOf, not];
    let count = 1;
    for (const one of inner) if (typeof one === 'object' && one !== null) count += this.#within(one);
    const { pattern, 'x-kubernetes-validations': rules = [] } = schema;
    if (pattern !== undefined) this.#patterns.add(pattern);
    for (const { rule = '', messageExpression = '' } of rules)
      this.#expressions += rule.length + messageExpression.length;
    this.#rules += rules.length;
    if (rules.length > 0) this.#seen += count;
    return count;
  }
}
