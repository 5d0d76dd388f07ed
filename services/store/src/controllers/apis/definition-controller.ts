import {
  CLEANUP,
  DEFINITIONS,
  type Definition,
  decideNames,
  hasCondition,
  namesJson,
  type Registry,
  readDefinition,
  withConditions,
} from '@tidegate/kinds';
import { type JsonObject, printTime } from '@tidegate/schema';
import type { Key } from '@tidegate/wire';
import type { Gateway, ObjectQueries } from '../port.ts';
import { createdAt, DEFINITIONS_PATH, type KnownDefinition, knownOf, listDefinitions, nameOf } from './definitions.ts';

interface DefinitionControllerOptions {
  objects: Pick<ObjectQueries, 'namespacesWith'>;
  gateway: Gateway;
  /** the built-in kinds, whose names are taken */
  own: Registry;
  /** receives the custom kinds that are served */
  served: Registry;
}

/**
 * Accepts or rejects the names of custom resource definitions, so that their kinds are served, and deletes the objects
 * of a definition that is being deleted.
 *
 * Invariant: names are accepted one definition after the other, each checked against all accepted names, with an update
 * of the version that was read. The finalizer of a definition is removed only when none of its objects is left; from
 * then on no object can be created, because every creation is committed under the guard that its definition is not
 * being deleted.
 */
export class DefinitionController {
  readonly #options: DefinitionControllerOptions;
  #known = new Map<string, KnownDefinition>();
  /** the names of definitions that the next pass examines */
  readonly #open = new Set<string>();
  #isRead = false;

  constructor(options: DefinitionControllerOptions) {
    this.#options = options;
  }

  /**
   * `changed`: the changed keys, or undefined where every object may have changed. Returns whether the next pass must
   * follow at once.
   */
  async reconcile(changed: readonly Key[] | undefined): Promise<boolean> {
    if (changed === undefined) this.#isRead = false;
    for (const { resource, name } of changed ?? []) if (resource === DEFINITIONS) this.#open.add(name);
    if (!this.#isRead) await this.#readAll();
    if (this.#open.size === 0) return false;
    const groups = await this.#settleOpen();
    this.#serve();
    return this.#reopen(groups);
  }

  async #readAll(): Promise<void> {
    const objects = await listDefinitions(this.#options.gateway);
    this.#known = new Map(objects.map((object) => [nameOf(object), knownOf(object, this.#options.own)]));
    for (const [name, { definition }] of this.#known) {
      if (definition.deleting || this.#checkNames(definition) !== undefined) this.#open.add(name);
    }
    this.#isRead = true;
    this.#serve();
  }

  /** Returns the groups in which names may have become available. */
  async #settleOpen(): Promise<ReadonlySet<string>> {
    const groups = new Set<string>();
    const objects: JsonObject[] = [];
    for (const name of this.#open) {
      const { code, body } = await this.#options.gateway.send('GET', `${DEFINITIONS_PATH}/${name}`);
      if (code === 200) objects.push(body as JsonObject);
      else if (code === 404) this.#forget(name, groups);
    }
    // the oldest definition gets a name
    objects.sort((a, b) => createdAt(a) - createdAt(b));
    for (const object of objects) this.#known.set(nameOf(object), knownOf(object, this.#options.own));
    for (const object of objects) {
      const next = await this.#settle(object);
      if (next === 'again') continue;
      if (next === 'gone') this.#forget(nameOf(object), groups);
      else {
        const known = knownOf(next, this.#options.own);
        this.#known.set(known.definition.name, known);
        this.#open.delete(known.definition.name);
        groups.add(known.definition.group);
      }
    }
    return groups;
  }

  #forget(name: string, groups: Set<string>): void {
    const known = this.#known.get(name);
    if (known !== undefined) groups.add(known.definition.group);
    this.#known.delete(name);
    this.#open.delete(name);
  }

  /** Other definitions in these groups may now get names that were taken before. Returns whether there are any. */
  #reopen(groups: ReadonlySet<string>): boolean {
    let isAny = false;
    for (const [name, { definition }] of this.#known) {
      if (!groups.has(definition.group) || definition.deleting || this.#open.has(name)) continue;
      if (this.#checkNames(definition) === undefined) continue;
      this.#open.add(name);
      isAny = true;
    }
    return isAny;
  }

  #serve(): void {
    this.#options.served.setCustom([...this.#known.values()].flatMap(({ kinds }) => kinds));
  }

  #checkNames(definition: Definition) {
    const others = [...this.#known.values()]
      .map((known) => known.definition)
      .filter(({ group }) => group === definition.group);
    return decideNames(definition, others, this.#options.own, printTime());
  }

  /** Returns the definition as it was written; `again` where the next pass must continue. */
  async #settle(object: JsonObject): Promise<JsonObject | 'again' | 'gone'> {
    const definition = readDefinition(object);
    if (definition.deleting) return this.#finalize(object, definition);
    const result = this.#checkNames(definition);
    if (result === undefined) return object;
    const { acceptedNames, conditions } = result;
    return this.#putStatus(object, { acceptedNames: namesJson(acceptedNames), conditions: conditions as never });
  }

  async #putStatus(object: JsonObject, status: JsonObject): Promise<JsonObject | 'again'> {
    const next = { ...object, status: { ...(object.status as JsonObject | undefined), ...status } };
    const { code, body } = await this.#options.gateway.send(
      'PUT',
      `${DEFINITIONS_PATH}/${nameOf(object)}/status`,
      next,
    );
    return code === 200 ? (body as JsonObject) : 'again';
  }

  /** Deletes the objects of the definition, and then removes its finalizer. */
  async #finalize(object: JsonObject, definition: Definition): Promise<JsonObject | 'again' | 'gone'> {
    const { finalizers = [], ...metadata } = object.metadata as { finalizers?: string[] };
    if (!finalizers.includes(CLEANUP)) return object;
    if (hasCondition(definition, 'Established') && !(await this.#deleteObjects(definition))) return 'again';
    const status = { ...(object.status as JsonObject), conditions: finalConditions(definition) as never };
    const left = finalizers.filter((name) => name !== CLEANUP);
    const next = { ...object, metadata: { ...metadata, finalizers: left }, status } as JsonObject;
    const { code, body } = await this.#options.gateway.send('PUT', `${DEFINITIONS_PATH}/${definition.name}`, next);
    if (code === 404 || (code === 200 && left.length === 0)) return 'gone';
    return code === 200 ? (body as JsonObject) : 'again';
  }

  /** Returns whether no object is left. */
  async #deleteObjects({ name, group, versions, acceptedNames, namespaced }: Definition): Promise<boolean> {
    const { objects, gateway } = this.#options;
    // requests for the stored version need no conversion
    const version = (versions.find(({ served, storage }) => served && storage) ?? versions.find(({ served }) => served))
      ?.name;
    const namespaces = await objects.namespacesWith(name);
    if (version === undefined) return namespaces.length === 0;
    for (const namespace of namespaces) {
      const place = namespaced ? `/namespaces/${namespace}` : '';
      await gateway.send('DELETE', `/apis/${group}/${version}${place}/${acceptedNames.plural}`);
    }
    return namespaces.length === 0 || (await objects.namespacesWith(name)).length === 0;
  }
}

const DELETED = {
  type: 'Terminating',
  status: 'False',
  reason: 'InstanceDeletionCompleted',
  message: 'removed all instances',
};

function finalConditions({ conditions }: Definition) {
  return withConditions(conditions, [DELETED], printTime());
}
