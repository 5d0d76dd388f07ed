import {
  CLEANUP,
  DEFINITIONS,
  type Definition,
  hasCondition,
  judgeNames,
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

interface DefinitionsOptions {
  pool: Pool;
  gateway: GatewayClient;
  /** the server's own kinds, whose names are taken */
  own: Registry;
  /** is told of what is served */
  served: Registry;
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
  /** something is left to do */
  #unsettled = true;

  constructor(options: DefinitionsOptions) {
    this.#options = options;
  }

  async round(changed: readonly Key[] | undefined): Promise<void> {
    const isTouched = changed === undefined || changed.some(({ resource }) => resource === DEFINITIONS);
    if (!isTouched && !this.#unsettled) return;
    this.#unsettled = true;
    const { code, body } = await this.#options.gateway.send('GET', PATH);
    if (code !== 200) return;
    let objects = (body.items ?? []) as JsonObject[];
    // who was first gets a name
    objects.sort((a, b) => createdAt(a) - createdAt(b));
    let settled = true;
    for (const object of objects) {
      const others = objects.map(readDefinition);
      const next = await this.#settle(object, others);
      if (next === 'again') settled = false;
      else objects = objects.map((one) => (one === object ? next : one));
    }
    this.#serve(objects);
    this.#unsettled = !settled;
  }

  #serve(objects: readonly JsonObject[]): void {
    const { own, served } = this.#options;
    const scale = own.find('apps', 'v1', 'deployments')?.entry.subresources.scale?.entry;
    if (scale !== undefined) served.setCustom(objects.flatMap((object) => kindsOf(readDefinition(object), scale)));
  }

  /** The definition as it is then; `again` when there is something left to do. */
  async #settle(object: JsonObject, others: readonly Definition[]): Promise<JsonObject | 'again'> {
    const definition = readDefinition(object);
    if (definition.deleting) return this.#close(object, definition);
    const judged = judgeNames(definition, others, this.#options.own, printTime());
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
  async #close(object: JsonObject, definition: Definition): Promise<JsonObject | 'again'> {
    const { finalizers = [], ...metadata } = object.metadata as { finalizers?: string[] };
    if (!finalizers.includes(CLEANUP)) return object;
    if (hasCondition(definition, 'Established') && !(await this.#empty(definition))) return 'again';
    const status = { ...(object.status as JsonObject), conditions: emptied(definition) as never };
    const left = finalizers.filter((name) => name !== CLEANUP);
    const next = { ...object, metadata: { ...metadata, finalizers: left }, status } as JsonObject;
    const { code, body } = await this.#options.gateway.send('PUT', `${PATH}/${definition.name}`, next);
    return code === 200 || code === 404 ? (body as JsonObject) : 'again';
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
