import { isDeepStrictEqual } from 'node:util';
import { type BootstrapFlowObject, bootstrapFlowObjects, type FlowSchemaSpec, MANDATORY } from '@tidegate/flow-control';
import { printTime } from '@tidegate/schema';
import type { Key } from '@tidegate/wire';
import type { Gateway } from '../port.ts';

const GROUP = 'flowcontrol.apiserver.k8s.io';
const API_VERSION = `${GROUP}/v1`;
const PATH = `/apis/${API_VERSION}`;
const RESOURCES = { PriorityLevelConfiguration: 'prioritylevelconfigurations', FlowSchema: 'flowschemas' } as const;
/** the resources that this controller follows */
export const FLOW_RESOURCES: readonly string[] = Object.values(RESOURCES).map((name) => `${name}.${GROUP}`);

/** the annotation that says whether the spec is kept as suggested */
const AUTOUPDATE = 'apf.kubernetes.io/autoupdate-spec';
/** the field managers of kube-apiserver, so that tools that search for them find these fields */
const PRODUCER = 'fieldManager=api-priority-and-fairness-config-producer-v1';
const CONSUMER = 'fieldManager=api-priority-and-fairness-config-consumer-v1';

type Kind = BootstrapFlowObject['kind'];
type Condition = Readonly<Record<string, unknown>>;

export interface FlowObject {
  readonly metadata: {
    readonly name: string;
    readonly uid?: string;
    readonly resourceVersion?: string;
    readonly generation?: number;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec?: object;
  readonly status?: { readonly conditions?: readonly Condition[] };
}

type PresentObjects = ReadonlyMap<string, FlowObject>;

/**
 * The priority levels and flow schemas that every cluster has. Missing objects are created. Mandatory objects are always
 * restored; suggested objects are restored unless their annotation forbids it, and deleted when a later release no longer
 * suggests them. A condition of every flow schema reports whether its level exists.
 *
 * Invariant: except for that condition, objects that users have created or taken over are never changed.
 */
export class FlowControl {
  readonly #gateway: Gateway;
  readonly #wanted = bootstrapFlowObjects();
  #settled = false;

  constructor(gateway: Gateway) {
    this.#gateway = gateway;
  }

  /** `changed`: the changed keys, or undefined where every object may have changed. */
  async reconcile(changed: readonly Key[] | undefined): Promise<void> {
    if (changed === undefined || changed.length > 0) this.#settled = false;
    if (this.#settled) return;
    const levels = await this.#list('PriorityLevelConfiguration');
    const schemas = await this.#list('FlowSchema');
    let isDone = true;
    for (const wanted of this.#wanted) {
      const present = wanted.kind === 'FlowSchema' ? schemas : levels;
      isDone = (await this.#write(wanted, present.get(wanted.name))) && isDone;
    }
    isDone = (await this.#deleteObsolete('PriorityLevelConfiguration', levels)) && isDone;
    isDone = (await this.#deleteObsolete('FlowSchema', schemas)) && isDone;
    // the next pass reads the objects that were written in this one
    if (isDone) isDone = await this.#writeConditions(schemas, levels);
    this.#settled = isDone;
  }

  async #list(kind: Kind): Promise<PresentObjects> {
    const { code, body } = await this.#gateway.send('GET', pathOf(kind));
    if (code !== 200) throw new Error(`the gateway answered ${code} to a list of ${RESOURCES[kind]}`);
    return new Map(((body.items ?? []) as FlowObject[]).map((item) => [item.metadata.name, item]));
  }

  /** Returns whether the object was correct. */
  async #write(wanted: BootstrapFlowObject, present: FlowObject | undefined): Promise<boolean> {
    const { kind, name, spec } = wanted;
    if (present === undefined) {
      const metadata = { name, annotations: { [AUTOUPDATE]: 'true' } };
      await this.#gateway.send('POST', `${pathOf(kind)}?${PRODUCER}`, {
        apiVersion: API_VERSION,
        kind,
        metadata,
        spec,
      });
      return false;
    }
    const next = restored(wanted, present);
    if (next === undefined) return true;
    await this.#gateway.send('PUT', `${pathOf(kind, name)}?${PRODUCER}`, next);
    return false;
  }

  /** Deletes objects that have the annotation and are not suggested: another release has created them. */
  async #deleteObsolete(kind: Kind, present: PresentObjects): Promise<boolean> {
    const wanted = new Set(this.#wanted.flatMap((one) => (one.kind === kind ? [one.name] : [])));
    let isDone = true;
    for (const { metadata } of present.values()) {
      const { name, uid, resourceVersion } = metadata;
      if (wanted.has(name) || truth(metadata.annotations?.[AUTOUPDATE]) !== true) continue;
      const preconditions = { uid, resourceVersion };
      await this.#gateway.send('DELETE', pathOf(kind, name), {
        kind: 'DeleteOptions',
        apiVersion: 'v1',
        preconditions,
      });
      isDone = false;
    }
    return isDone;
  }

  async #writeConditions(schemas: PresentObjects, levels: PresentObjects): Promise<boolean> {
    let isDone = true;
    for (const schema of schemas.values()) {
      const conditions = conditionsWithLevel(schema, levels);
      if (conditions === undefined) continue;
      const path = `${pathOf('FlowSchema', schema.metadata.name)}/status?${CONSUMER}`;
      const { code } = await this.#gateway.patch(path, { status: { conditions } });
      isDone = (code === 200 || code === 404) && isDone;
    }
    return isDone;
  }
}

function pathOf(kind: Kind, name?: string): string {
  return name === undefined ? `${PATH}/${RESOURCES[kind]}` : `${PATH}/${RESOURCES[kind]}/${encodeURIComponent(name)}`;
}

/**
 * The present object as it should be; undefined where it is correct. A user who removes the annotation and changes the
 * spec has taken the object over.
 */
export function restored({ name, spec }: BootstrapFlowObject, present: FlowObject): FlowObject | undefined {
  const { metadata } = present;
  const annotated = truth(metadata.annotations?.[AUTOUPDATE]);
  const isKept = MANDATORY.has(name) || (annotated ?? metadata.generation === 1);
  const isRight = !isKept || isDeepStrictEqual(present.spec, spec);
  if (isRight && annotated === isKept) return undefined;
  const annotations = { ...metadata.annotations, [AUTOUPDATE]: String(isKept) };
  return { ...present, metadata: { ...metadata, annotations }, ...(isKept ? { spec } : {}) };
}

const TRUE = new Set(['1', 't', 'T', 'TRUE', 'true', 'True']);
const FALSE = new Set(['0', 'f', 'F', 'FALSE', 'false', 'False']);

function truth(text = ''): boolean | undefined {
  return TRUE.has(text) ? true : FALSE.has(text) ? false : undefined;
}

/** A schema's conditions with the one about its level; undefined where it is up to date. */
export function conditionsWithLevel(
  { spec, status }: FlowObject,
  levels: PresentObjects,
): readonly Condition[] | undefined {
  const level = (spec as FlowSchemaSpec | undefined)?.priorityLevelConfiguration.name ?? '';
  const start = `This FlowSchema references the PriorityLevelConfiguration object named ${JSON.stringify(level)}`;
  // a mandatory level counts as present also while its object is missing
  const condition =
    levels.has(level) || MANDATORY.has(level)
      ? { type: 'Dangling', status: 'False', reason: 'Found', message: `${start} and it exists` }
      : { type: 'Dangling', status: 'True', reason: 'NotFound', message: `${start} but there is no such object` };
  const { conditions = [] } = status ?? {};
  const before = conditions.find(({ type }) => type === 'Dangling');
  if (before?.status === condition.status && before.message === condition.message) return undefined;
  const lastTransitionTime = before?.status === condition.status ? before.lastTransitionTime : printTime();
  return [...conditions.filter(({ type }) => type !== 'Dangling'), { ...condition, lastTransitionTime }];
}
