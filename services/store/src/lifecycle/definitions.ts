import {
  CLEANUP,
  DEFINITIONS,
  type Definition,
  hasCondition,
  judgeNames,
  type Kind,
  kindsOf,
  namesJson,
  type Registry,
  readDefinition,
  withConditions,
} from '@tidegate/kinds';
import { type JsonObject, printTime } from '@tidegate/schema';
import type { Key } from '@tidegate/wire';
import type { Pool } from '../storage/connection.ts';
import type { GatewayClient } from './gateway-client.ts';

const PATH = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const NAMESPACES = 'SELECT DISTINCT namespace FROM tidegate.objects WHERE resource = $1';
const PAGE = 50;

interface DefinitionsOptions {
  pool: Pool;
  gateway: GatewayClient;
  /** the server's own kinds, whose names are taken */
  own: Registry;
  /** is told of what is served */
  served: Registry;
}

/** One definition as far as it is remembered: not its schemas. */
interface Known {
  readonly definition: Definition;
  readonly kinds: readonly Kind[];
}

/**
 * The life of custom resource definitions: their names are accepted or not, so that they are served; and what a deleted
 * one has defined is deleted before it goes.
 *
 * Invariant: names are accepted one definition after the other, each against all that were accepted before, as updates at
 * the version that was read. A definition lets go of its finalizer only when nothing of it is left; by then nothing can
 * be made of it any more, for every creation is committed under the guard that its definition is not being deleted.
 */
export class Definitions {
  readonly #options: DefinitionsOptions;
  #known = new Map<string, Known>();
  /** names of those that are to be looked at */
  readonly #open = new Set<string>();
  #isRead = false;

  constructor(options: DefinitionsOptions) {
    this.#options = options;
  }

  /** `changed`: what was written since the last round; everything may have been where it is not known. */
  async round(changed: readonly Key[] | undefined): Promise<boolean> {
    if (changed === undefined) this.#isRead = false;
    for (const { resource, name } of changed ?? []) if (resource === DEFINITIONS) this.#open.add(name);
    if (!this.#isRead) await this.#readAll();
    if (this.#open.size === 0) return false;
    const groups = await this.#settleOpen();
    this.#serve();
    return this.#reopen(groups);
  }

  async #readAll(): Promise<void> {
    const known = new Map<string, Known>();
    const objects = await this.#list();
    for (const object of objects) known.set(nameOf(object), this.#outline(object));
    this.#known = known;
    for (const [name, { definition }] of known) {
      if (definition.deleting || this.#judge(definition) !== undefined) this.#open.add(name);
    }
    this.#isRead = true;
    this.#serve();
  }

  async #list(): Promise<JsonObject[]> {
    const objects: JsonObject[] = [];
    for (let next = ''; ; ) {
      const query = `?limit=${PAGE}${next === '' ? '' : `&continue=${encodeURIComponent(next)}`}`;
      const { code, body } = await this.#options.gateway.send('GET', PATH + query);
      if (code !== 200) throw new Error(`the gateway answers ${code} to a list of definitions`);
      objects.push(...((body.items ?? []) as JsonObject[]));
      next = (body.metadata as { continue?: string }).continue ?? '';
      if (next === '') return objects;
    }
  }

  /** What it defines, without what only those need who serve it. */
  #outline(object: JsonObject): Known {
    const read = readDefinition(object);
    const versions = read.versions.map(({ schema: _, additionalPrinterColumns: __, ...version }) => version);
    const definition = { ...read, versions };
    const scale = this.#options.own.find('apps', 'v1', 'deployments')?.entry.subresources.scale?.entry;
    return { definition, kinds: scale === undefined ? [] : kindsOf(definition, scale) };
  }

  /** Answers in which groups names may have become free. */
  async #settleOpen(): Promise<ReadonlySet<string>> {
    const groups = new Set<string>();
    const objects: JsonObject[] = [];
    for (const name of this.#open) {
      const { code, body } = await this.#options.gateway.send('GET', `${PATH}/${name}`);
      if (code === 200) objects.push(body as JsonObject);
      else if (code === 404) this.#forget(name, groups);
    }
    // who was first gets a name
    objects.sort((a, b) => createdAt(a) - createdAt(b));
    for (const object of objects) this.#known.set(nameOf(object), this.#outline(object));
    for (const object of objects) {
      const next = await this.#settle(object);
      if (next === 'again') continue;
      if (next === 'gone') this.#forget(nameOf(object), groups);
      else {
        const known = this.#outline(next);
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

  /** Others in these groups may get names now that they did not get before. */
  #reopen(groups: ReadonlySet<string>): boolean {
    let isAny = false;
    for (const [name, { definition }] of this.#known) {
      if (!groups.has(definition.group) || definition.deleting || this.#open.has(name)) continue;
      if (this.#judge(definition) === undefined) continue;
      this.#open.add(name);
      isAny = true;
    }
    return isAny;
  }

  #serve(): void {
    this.#options.served.setCustom([...this.#known.values()].flatMap(({ kinds }) => kinds));
  }

  #judge(definition: Definition) {
    const others = [...this.#known.values()]
      .map((known) => known.definition)
      .filter(({ group }) => group === definition.group);
    return judgeNames(definition, others, this.#options.own, printTime());
  }

  /** The definition as it is then; `again` when there is something left to do. */
  async #settle(object: JsonObject): Promise<JsonObject | 'again' | 'gone'> {
    const definition = readDefinition(object);
    if (definition.deleting) return this.#close(object, definition);
    const judged = this.#judge(definition);
    if (judged === undefined) return object;
    const { acceptedNames, conditions } = judged;
    return this.#putStatus(object, { acceptedNames: namesJson(acceptedNames), conditions: conditions as never });
  }

  async #putStatus(object: JsonObject, status: JsonObject): Promise<JsonObject | 'again'> {
    const next = { ...object, status: { ...(object.status as JsonObject | undefined), ...status } };
    const { code, body } = await this.#options.gateway.send('PUT', `${PATH}/${nameOf(object)}/status`, next);
    return code === 200 ? (body as JsonObject) : 'again';
  }

  /** Deletes what it defines, and then lets it go. */
  async #close(object: JsonObject, definition: Definition): Promise<JsonObject | 'again' | 'gone'> {
    const { finalizers = [], ...metadata } = object.metadata as { finalizers?: string[] };
    if (!finalizers.includes(CLEANUP)) return object;
    if (hasCondition(definition, 'Established') && !(await this.#empty(definition))) return 'again';
    const status = { ...(object.status as JsonObject), conditions: emptied(definition) as never };
    const left = finalizers.filter((name) => name !== CLEANUP);
    const next = { ...object, metadata: { ...metadata, finalizers: left }, status } as JsonObject;
    const { code, body } = await this.#options.gateway.send('PUT', `${PATH}/${definition.name}`, next);
    if (code === 404 || (code === 200 && left.length === 0)) return 'gone';
    return code === 200 ? (body as JsonObject) : 'again';
  }

  async #empty({ name, group, versions, acceptedNames, namespaced }: Definition): Promise<boolean> {
    const { pool, gateway } = this.#options;
    // through the one that is stored nothing needs to be converted
    const version = (versions.find(({ served, storage }) => served && storage) ?? versions.find(({ served }) => served))
      ?.name;
    const rows = await pool.query(NAMESPACES, [name]);
    if (version === undefined) return rows.length === 0;
    for (const [namespace] of rows) {
      const place = namespaced ? `/namespaces/${String(namespace)}` : '';
      await gateway.send('DELETE', `/apis/${group}/${version}${place}/${acceptedNames.plural}`);
    }
    return rows.length === 0 || (await pool.query(NAMESPACES, [name])).length === 0;
  }
}

const DONE = {
  type: 'Terminating',
  status: 'False',
  reason: 'InstanceDeletionCompleted',
  message: 'removed all instances',
};

function emptied({ conditions }: Definition) {
  return withConditions(conditions, [DONE], printTime());
}

function nameOf({ metadata }: JsonObject): string {
  return (metadata as { name: string }).name;
}

function createdAt({ metadata }: JsonObject): number {
  return Date.parse((metadata as { creationTimestamp: string }).creationTimestamp);
}
