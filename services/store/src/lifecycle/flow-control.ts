import { isDeepStrictEqual } from 'node:util';
import { type BootstrapFlowObject, bootstrapFlowObjects, type FlowSchemaSpec, MANDATORY } from '@tidegate/flow-control';
import { printTime } from '@tidegate/schema';
import type { Key } from '@tidegate/wire';
import type { GatewayClient } from './gateway-client.ts';

const GROUP = 'flowcontrol.apiserver.k8s.io';
const API_VERSION = `${GROUP}/v1`;
const PATH = `/apis/${API_VERSION}`;
const RESOURCES = { PriorityLevelConfiguration: 'prioritylevelconfigurations', FlowSchema: 'flowschemas' } as const;
/** what this work looks at */
export const FLOW_RESOURCES: readonly string[] = Object.values(RESOURCES).map((name) => `${name}.${GROUP}`);

/** by it an object says whether its spec is kept as it is suggested */
const KEPT = 'apf.kubernetes.io/autoupdate-spec';
/** as kube-apiserver's work of the same sort is called, so that tools that look for its fields find them */
const MAKER = 'fieldManager=api-priority-and-fairness-config-producer-v1';
const TELLER = 'fieldManager=api-priority-and-fairness-config-consumer-v1';

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

type There = ReadonlyMap<string, FlowObject>;

/**
 * The priority levels and flow schemas that every cluster has. What is missing is made; the mandatory ones are put right
 * whatever is done to them, the suggested ones as long as their annotation does not say otherwise; what was suggested once
 * and is not any more goes. Every flow schema is told whether its level is there.
 *
 * Invariant: what users have made, or have taken over, is never changed but for that condition.
 */
export class FlowControl {
  readonly #gateway: Pick<GatewayClient, 'send' | 'patch'>;
  readonly #wanted = bootstrapFlowObjects();
  #settled = false;

  constructor(gateway: Pick<GatewayClient, 'send' | 'patch'>) {
    this.#gateway = gateway;
  }

  /** The changed keys, or undefined when all may have changed. */
  async round(changed: readonly Key[] | undefined): Promise<void> {
    if (changed === undefined || changed.length > 0) this.#settled = false;
    if (this.#settled) return;
    const levels = await this.#there('PriorityLevelConfiguration');
    const schemas = await this.#there('FlowSchema');
    let isDone = true;
    for (const wanted of this.#wanted) {
      const there = wanted.kind === 'FlowSchema' ? schemas : levels;
      isDone = (await this.#provide(wanted, there.get(wanted.name))) && isDone;
    }
    isDone = (await this.#removeForgotten('PriorityLevelConfiguration', levels)) && isDone;
    isDone = (await this.#removeForgotten('FlowSchema', schemas)) && isDone;
    // what was made just now is looked at in the next round
    if (isDone) isDone = await this.#tellDangling(schemas, levels);
    this.#settled = isDone;
  }

  async #there(kind: Kind): Promise<There> {
    const { code, body } = await this.#gateway.send('GET', pathOf(kind));
    if (code !== 200) throw new Error(`the gateway answered ${code} when it was asked for ${RESOURCES[kind]}`);
    return new Map(((body.items ?? []) as FlowObject[]).map((item) => [item.metadata.name, item]));
  }

  /** Answers whether there was nothing to do. */
  async #provide(wanted: BootstrapFlowObject, there: FlowObject | undefined): Promise<boolean> {
    const { kind, name, spec } = wanted;
    if (there === undefined) {
      const metadata = { name, annotations: { [KEPT]: 'true' } };
      await this.#gateway.send('POST', `${pathOf(kind)}?${MAKER}`, { apiVersion: API_VERSION, kind, metadata, spec });
      return false;
    }
    const next = kept(wanted, there);
    if (next === undefined) return true;
    await this.#gateway.send('PUT', `${pathOf(kind, name)}?${MAKER}`, next);
    return false;
  }

  /** Those that bear the annotation and are not suggested: they are of another version. */
  async #removeForgotten(kind: Kind, there: There): Promise<boolean> {
    const wanted = new Set(this.#wanted.flatMap((one) => (one.kind === kind ? [one.name] : [])));
    let isDone = true;
    for (const { metadata } of there.values()) {
      const { name, uid, resourceVersion } = metadata;
      if (wanted.has(name) || truth(metadata.annotations?.[KEPT]) !== true) continue;
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

  async #tellDangling(schemas: There, levels: There): Promise<boolean> {
    let isDone = true;
    for (const schema of schemas.values()) {
      const conditions = toldConditions(schema, levels);
      if (conditions === undefined) continue;
      const path = `${pathOf('FlowSchema', schema.metadata.name)}/status?${TELLER}`;
      const { code } = await this.#gateway.patch(path, { status: { conditions } });
      isDone = (code === 200 || code === 404) && isDone;
    }
    return isDone;
  }
}

function pathOf(kind: Kind, name?: string): string {
  return name === undefined ? `${PATH}/${RESOURCES[kind]}` : `${PATH}/${RESOURCES[kind]}/${encodeURIComponent(name)}`;
}

/** What is there as it is to be; undefined: it is. Who leaves out the annotation and changes the spec has taken it over. */
export function kept({ name, spec }: BootstrapFlowObject, there: FlowObject): FlowObject | undefined {
  const { metadata } = there;
  const said = truth(metadata.annotations?.[KEPT]);
  const isKept = MANDATORY.has(name) || (said ?? metadata.generation === 1);
  const isRight = !isKept || isDeepStrictEqual(there.spec, spec);
  if (isRight && said === isKept) return undefined;
  const annotations = { ...metadata.annotations, [KEPT]: String(isKept) };
  return { ...there, metadata: { ...metadata, annotations }, ...(isKept ? { spec } : {}) };
}

const TRUE = new Set(['1', 't', 'T', 'TRUE', 'true', 'True']);
const FALSE = new Set(['0', 'f', 'F', 'FALSE', 'false', 'False']);

function truth(text = ''): boolean | undefined {
  return TRUE.has(text) ? true : FALSE.has(text) ? false : undefined;
}

/** A schema's conditions with the one about its level; undefined: it says so already. */
export function toldConditions({ spec, status }: FlowObject, levels: There): readonly Condition[] | undefined {
  const level = (spec as FlowSchemaSpec | undefined)?.priorityLevelConfiguration.name ?? '';
  const start = `This FlowSchema references the PriorityLevelConfiguration object named ${JSON.stringify(level)}`;
  // the mandatory ones are there even while they are missing
  const told =
    levels.has(level) || MANDATORY.has(level)
      ? { type: 'Dangling', status: 'False', reason: 'Found', message: `${start} and it exists` }
      : { type: 'Dangling', status: 'True', reason: 'NotFound', message: `${start} but there is no such object` };
  const { conditions = [] } = status ?? {};
  const before = conditions.find(({ type }) => type === 'Dangling');
  if (before?.status === told.status && before.message === told.message) return undefined;
  const lastTransitionTime = before?.status === told.status ? before.lastTransitionTime : printTime();
  return [...conditions.filter(({ type }) => type !== 'Dangling'), { ...told, lastTransitionTime }];
}
