import { type BootstrapFlowObject, bootstrapFlowObjects, MANDATORY } from './bootstrap.ts';
import { type FlowOperation, type FlowSchemaSpec, type FlowUser, matches, matchesUser } from './flow-schema.ts';
import type { PriorityLevelSpec } from './priority-level.ts';

/** A stored level or schema; a default that is not stored yet has no uid. */
export type FlowObject = BootstrapFlowObject & { readonly uid: string };

export interface NamedLevel {
  readonly name: string;
  readonly uid: string;
  readonly spec: PriorityLevelSpec;
}

export interface NamedSchema {
  readonly name: string;
  readonly uid: string;
  readonly spec: FlowSchemaSpec;
  readonly level: NamedLevel;
}

/**
 * Finds the flow schema of a request: the first that matches, by precedence and then by name.
 *
 * Invariant: `exempt` and `catch-all` are always among levels and schemas, so that every request has one. A schema
 * whose level does not exist is skipped. A classifier never changes: changed objects need a new one.
 */
export class Classifier {
  readonly levels: ReadonlyMap<string, NamedLevel>;
  readonly #schemas: readonly NamedSchema[];
  readonly #fallback: NamedSchema;
  /** a client sends many requests as the same user: schemas that cannot match the user are filtered out once */
  readonly #byUser = new WeakMap<FlowUser, readonly NamedSchema[]>();

  constructor(objects: readonly FlowObject[]) {
    const has = new Set(objects.map(({ kind, name }) => `${kind} ${name}`));
    const missing = bootstrapFlowObjects().filter(
      ({ kind, name }) => MANDATORY.has(name) && !has.has(`${kind} ${name}`),
    );
    const all = [...objects, ...missing.map((one): FlowObject => ({ ...one, uid: '' }))];
    this.levels = new Map(
      all.flatMap((one) =>
        one.kind === 'FlowSchema' ? [] : [[one.name, { name: one.name, uid: one.uid, spec: one.spec }]],
      ),
    );
    this.#schemas = all
      .flatMap((one) => (one.kind === 'FlowSchema' ? this.#named(one) : []))
      .sort((a, b) => a.spec.matchingPrecedence - b.spec.matchingPrecedence || (a.name < b.name ? -1 : 1));
    this.#fallback = this.#schemas.find(({ name }) => name === 'catch-all') as NamedSchema;
  }

  /** The classifier before the objects of the cluster are loaded. */
  static ofDefaults(): Classifier {
    return new Classifier(bootstrapFlowObjects().map((one) => ({ ...one, uid: '' })));
  }

  schemaOf(user: FlowUser, operation: FlowOperation): NamedSchema {
    let candidates = this.#byUser.get(user);
    if (candidates === undefined) {
      candidates = this.#schemas.filter(({ spec }) => matchesUser(spec, user));
      this.#byUser.set(user, candidates);
    }
    for (const schema of candidates) if (matches(schema.spec, user, operation)) return schema;
    return this.#fallback;
  }

  #named({ name, uid, spec }: { name: string; uid: string; spec: FlowSchemaSpec }): NamedSchema[] {
    const level = this.levels.get(spec.priorityLevelConfiguration.name);
    return level === undefined ? [] : [{ name, uid, spec, level }];
  }
}

/** The flow distinguisher: requests of one schema with the same text are one flow. */
export function distinguisherOf({ spec }: NamedSchema, user: FlowUser, operation: FlowOperation): string {
  const type = spec.distinguisherMethod?.type;
  return type === 'ByUser' ? user.name : type === 'ByNamespace' ? operation.namespace : '';
}
