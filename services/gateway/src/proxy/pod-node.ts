import { isJsonObject, type JsonObject } from '@tidegate/schema';
import { badRequest } from '@tidegate/status';
import type { Gateway } from '../gateway.ts';
import type { ResourceRequest } from '../request/resource-request.ts';
import { keyOf } from '../rules/commit.ts';
import { fromStore, parseCurrent } from '../rules/current.ts';
import type { BackEnd } from './back-end.ts';

/** The pod that a path names. */
export async function podOf(gateway: Gateway, request: ResourceRequest, name = request.info.name): Promise<JsonObject> {
  return read(gateway, request, { resource: 'pods', namespace: request.info.namespace, name });
}

interface Named {
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}

/** An object of the core group, as it is now. */
export async function read(
  gateway: Gateway,
  request: ResourceRequest,
  { resource, namespace, name }: Named,
): Promise<JsonObject> {
  const kind = gateway.registry.find('', 'v1', resource);
  if (kind === undefined) throw new Error(`there is no kind for ${resource}`);
  return parseCurrent(await fromStore(gateway, { ...request, kind }, keyOf(kind, namespace, name)));
}

/** The name of the pod's node, empty while it has none. */
export function nodeOf({ spec }: JsonObject): string {
  return isJsonObject(spec) && typeof spec.nodeName === 'string' ? spec.nodeName : '';
}

export async function kubeletOf(
  gateway: Gateway,
  request: ResourceRequest,
  name: string,
  { verified = true } = {},
): Promise<BackEnd> {
  const node = await read(gateway, request, { resource: 'nodes', namespace: '', name });
  return gateway.backEnds.kubelets.of(node, { verified });
}

/** The container that is meant: the one that is named, or the only one. */
export function containerOf({ spec }: JsonObject, pod: string, asked: string): string {
  const { containers = [], initContainers = [], ephemeralContainers = [] } = (spec ?? {}) as Record<string, never>;
  const all = [initContainers, containers, ephemeralContainers].map(namesOf);
  if (asked !== '') {
    if (all.flat().includes(asked)) return asked;
    throw badRequest(`container ${asked} is not valid for pod ${pod}`);
  }
  const [only, ...others] = all[1] as string[];
  if (only === undefined) throw badRequest(`a container name must be specified for pod ${pod}`);
  if (others.length === 0) return only;
  throw badRequest(`a container name must be specified for pod ${pod}, choose one of: [${all.flat().join(' ')}]`);
}

function namesOf(containers: unknown): string[] {
  return Array.isArray(containers) ? containers.filter(isJsonObject).map(({ name }) => String(name)) : [];
}
