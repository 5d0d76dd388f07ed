import { isDeepStrictEqual } from 'node:util';
import { isJsonObject, type JsonObject, listOf } from '@tidegate/schema';
import { type FieldError, forbiddenField } from '@tidegate/status';

const RESIZED = new Set(['cpu', 'memory']);

/** Checks a resize: only CPU and memory of containers and sidecars may change. */
export function validateResize(now: JsonObject, before: JsonObject): FieldError[] {
  const old = listOf(before, 'containers');
  for (const list of ['containers', 'initContainers']) {
    if (isDeepStrictEqual(namesOf(now, list), namesOf(before, list))) continue;
    return [forbiddenField(`spec.${list}`, `${list} may not be added or removed on resize`)];
  }
  return [
    ...listOf(now, 'containers').flatMap((container, i) => removedLimits(container, old[i] ?? {}, i)),
    ...refusedInits(listOf(now, 'initContainers'), listOf(before, 'initContainers')),
    ...(isDeepStrictEqual(withoutResized(now, 'containers'), withoutResized(before, 'containers'))
      ? []
      : [forbiddenField('spec', 'only cpu and memory resources are mutable')]),
  ];
}

function removedLimits(container: JsonObject, old: JsonObject, i: number): FieldError[] {
  const limits = limitsOf(container);
  const isRemoved = Object.keys(limitsOf(old)).some((name) => RESIZED.has(name) && limits[name] === undefined);
  return isRemoved
    ? [forbiddenField(`spec.containers[${i}].resources.limits`, 'resource limits cannot be removed')]
    : [];
}

function refusedInits(now: readonly JsonObject[], before: readonly JsonObject[]): FieldError[] {
  const reject = (why: string) => [forbiddenField('spec', why)];
  for (const [i, old] of before.entries()) {
    const container = now[i] ?? {};
    if (old.restartPolicy !== 'Always') {
      if (isDeepStrictEqual(container.resources ?? {}, old.resources ?? {})) continue;
      return reject('resources for non-sidecar init containers are immutable');
    }
    if (isDeepStrictEqual(unsized(container), unsized(old))) continue;
    return reject('only cpu and memory resources for sidecar containers are mutable');
  }
  return [];
}

function withoutResized(spec: JsonObject, list: string): JsonObject[] {
  return listOf(spec, list).map(unsized);
}

/** A container without the fields that a resize may change. */
function unsized(container: JsonObject): JsonObject {
  const { limits = {}, requests = {}, ...rest } = isJsonObject(container.resources) ? container.resources : {};
  const others = (amounts: unknown) =>
    Object.entries(amounts as JsonObject)
      .filter(([name]) => !RESIZED.has(name))
      .sort();
  return { ...container, resources: { ...rest, limits: others(limits), requests: others(requests) } };
}

function limitsOf({ resources }: JsonObject): JsonObject {
  const { limits } = isJsonObject(resources) ? resources : {};
  return isJsonObject(limits) ? limits : {};
}

function namesOf(spec: JsonObject, list: string): unknown[] {
  return listOf(spec, list).map(({ name }) => name);
}
