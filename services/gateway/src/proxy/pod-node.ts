import { isJsonObject, type JsonObject } from '@tidegate/schema';
import { badRequest } from '@tidegate/status';

/** The name of the pod's node, empty while it has none. */
export function nodeOf({ spec }: JsonObject): string {
  return isJsonObject(spec) && typeof spec.nodeName === 'string' ? spec.nodeName : '';
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
