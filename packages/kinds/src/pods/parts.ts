import { isDeepStrictEqual } from 'node:util';
import { isJsonObject, type JsonObject, listOf } from '@tidegate/schema';
import { type FieldError, forbiddenField, invalidValue } from '@tidegate/status';
import { metaOf } from '../objects/generic-object.ts';
import { qualityOfService } from './quality-of-service.ts';
import { validateResize } from './resize.ts';

/** Restores everything that a subresource of a pod may not change. */
export function keepOtherParts(pod: JsonObject, old: JsonObject, subresource: string): void {
  if (subresource === '') keepGiven(specOf(pod), specOf(old));
  if (subresource !== 'ephemeralcontainers' && subresource !== 'resize') return;
  const spec = specOf(pod);
  const before = structuredClone(specOf(old));
  const changed = subresource === 'resize' ? resized(spec, before) : appended(spec, before);
  if (changed !== undefined) pod.spec = changed;
  const meta = metaOf(pod);
  const { labels, annotations, finalizers } = metaOf(old);
  for (const [name, value] of Object.entries({ labels, annotations, finalizers })) {
    if (value === undefined) delete (meta as JsonObject)[name];
    else (meta as JsonObject)[name] = structuredClone(value);
  }
  if (old.status === undefined) delete pod.status;
  else pod.status = structuredClone(old.status);
}

/** Fields that the server set stay when an update leaves them out. */
function keepGiven(spec: JsonObject, before: JsonObject): void {
  for (const field of ['priority', 'preemptionPolicy']) {
    if (spec[field] === undefined && before[field] !== undefined) spec[field] = before[field];
  }
}

/** Checks the parts of a pod that no path may change. */
export function validatePodParts(pod: JsonObject, old: JsonObject, subresource = ''): FieldError[] {
  return [
    ...validateEphemeralContainers(pod, old),
    ...validateResources(pod, old),
    ...(subresource === 'resize' ? validateResize(specOf(pod), specOf(old)) : []),
  ];
}

/** A resize must not change the quality of service class. */
function validateResources(pod: JsonObject, old: JsonObject): FieldError[] {
  const before = qualityOfService(old);
  if (qualityOfService(pod) === before) return [];
  return [invalidValue('spec', before, 'Pod QOS Class may not change as a result of resizing')];
}

/** An ephemeral container must not be changed or removed. */
function validateEphemeralContainers(pod: JsonObject, old: JsonObject): FieldError[] {
  const field = 'spec.ephemeralContainers';
  const now = new Map(listOf(specOf(pod), 'ephemeralContainers').map((container) => [container.name, container]));
  return listOf(specOf(old), 'ephemeralContainers').flatMap((before) => {
    const after = now.get(before.name);
    const name = JSON.stringify(before.name);
    if (after === undefined) return [forbiddenField(field, `existing ephemeral containers ${name} may not be removed`)];
    if (isDeepStrictEqual(after, before)) return [];
    return [forbiddenField(field, `existing ephemeral containers ${name} may not be changed`)];
  });
}

function appended(spec: JsonObject, before: JsonObject): JsonObject {
  const { ephemeralContainers } = spec;
  const { ephemeralContainers: _, ...others } = before;
  return ephemeralContainers === undefined ? others : { ...others, ephemeralContainers };
}

/**
 * The old spec with new resources; undefined when containers were added, removed or reordered, which validation
 * rejects.
 */
function resized(spec: JsonObject, before: JsonObject): JsonObject | undefined {
  for (const list of ['containers', 'initContainers']) {
    const [now, old] = [listOf(spec, list), listOf(before, list)];
    if (now.length !== old.length || now.some(({ name }, i) => name !== old[i]?.name)) return undefined;
    for (const [i, container] of old.entries()) {
      for (const field of ['resources', 'resizePolicy']) {
        const value = now[i]?.[field];
        if (value === undefined) delete container[field];
        else container[field] = value;
      }
    }
  }
  return before;
}

function specOf(pod: JsonObject): JsonObject {
  return isJsonObject(pod.spec) ? pod.spec : {};
}
