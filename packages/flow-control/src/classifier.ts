import { type BootstrapFlowObject, bootstrapFlowObjects, MANDATORY } from './bootstrap.ts';
import { type FlowDeed, type FlowSchemaSpec, type FlowUser, isOf, matches } from './flow-schema.ts';
import type { PriorityLevelSpec } from './priority-level.ts';

/** A level or schema as it is kept; one that is only known as a default has no uid yet. */
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
 * Which flow schema a request belongs to: the first that matches, by precedence and then by name.
 *
 * Invariant: `exempt` and `catch-all` are always among levels and schemas, so that every request has one; a schema whose
 * level is not there is passed over. It never changes: where objects do, another one is made.
 */
export class Classifier {
  readonly levels: ReadonlyMap<string, NamedLevel>;
  readonly #schemas: readonly NamedSchema[];
  readonly #fallback: NamedSchema;
  /** clients come again as the same user: what cannot be theirs is not looked at each time */
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

  /** As it is before anything of the cluster is known. */
  static ofDefaults(): Classifier {
    return new Classifier(bootstrapFlowObjects().map((one) => ({ ...one, uid: '' })));
  }

  schemaOf(user: FlowUser, deed: FlowDeed): NamedSchema {
    let theirs = this.#byUser.get(user);
    if (theirs === undefined) {
      theirs = this.#schemas.filter(({ spec }) => isOf(spec, user));
      this.#byUser.set(user, theirs);
    }
    for (const schema of theirs) if (matches(schema.spec, user, deed)) return schema;
    return this.#fallback;
  }

  #named({ name, uid, spec }: { name: string; uid: string; spec: FlowSchemaSpec }): NamedSchema[] {
    const level = this.levels.get(spec.priorityLevelConfiguration.name);
    return level === undefined ? [] : [{ name, uid, spec, level }];
  }
}

/** What tells the flows of a schema apart. */
export function distinguisherOf({ spec }: NamedSchema, user: FlowUser, deed: FlowDeed): string {
  const type = spec.distinguisherMethod?.type;
  return type === 'ByUser' ? user.name : type === 'ByNamespace' ? deed.namespace : '';
}
