import type { Json, JsonObject } from '@tidegate/schema';
import { sameValue, textOf } from '../rules/checks.ts';
import type { Place } from '../rules/place.ts';

const MAY_CHANGE =
  'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';

/** Checks the update of a pod: only images, a shorter deadline, more tolerations and fewer gates are allowed. */
export function podUpdate(object: Place, old: Place): void {
  const [spec, before] = [object.field('spec'), old.field('spec')];
  // an update of the status shares the spec with the old pod
  if (spec.value !== undefined && spec.value === before.value) return;
  const count = spec.errorCount;
  for (const list of ['containers', 'initContainers']) {
    const now = spec.field(list);
    if (now.list.length !== before.field(list).list.length) {
      now.forbidden('pod updates may not add or remove containers');
      return;
    }
    for (const container of now.items()) if (container.field('image').isEmpty) container.field('image').required();
  }
  checkDeadline(spec.field('activeDeadlineSeconds'), before.field('activeDeadlineSeconds'));
  checkGates(spec.field('schedulingGates'), before.field('schedulingGates'));
  checkTolerations(spec.field('tolerations'), before.field('tolerations'));
  if (spec.errorCount > count || sameValue(immutablePart(spec.object), immutablePart(before.object))) return;
  spec.forbidden(MAY_CHANGE);
}

function checkGates(now: Place, before: Place): void {
  const known = new Set(before.items().map((gate) => gate.object.name));
  for (const gate of now.items()) {
    const name = gate.field('name');
    if (known.has(name.value)) continue;
    name.forbidden(`only deletion is allowed, but found new scheduling gate '${name.text}'`);
  }
}

function checkDeadline(now: Place, before: Place): void {
  if (Number(now.value) < 0) {
    now.invalid('must be between 0 and 2147483647, inclusive');
    return;
  }
  if (before.value === undefined) return;
  if (now.value === undefined) now.invalid('must not update from a positive integer to nil value');
  else if (Number(now.value) > Number(before.value)) now.invalid('must be less than or equal to previous value');
}

function checkTolerations(now: Place, before: Place): void {
  const present = new Set(now.list.map((one) => textOf(withoutTime(one as JsonObject))));
  const allKept = before.list.every((one) => present.has(textOf(withoutTime(one as JsonObject))));
  if (!allKept) now.forbidden('existing toleration can not be modified except its tolerationSeconds');
}

function withoutTime({ tolerationSeconds: _seconds, ...toleration }: JsonObject): JsonObject {
  return toleration;
}

/** The part of a pod's spec that an update may not change. */
function immutablePart(spec: JsonObject): JsonObject {
  const { activeDeadlineSeconds: _deadline, tolerations: _tolerations, schedulingGates: _gates, ...rest } = spec;
  const gated = Array.isArray(_gates) && _gates.length > 0;
  const { nodeSelector: _selector, affinity: _affinity, ...ungated } = rest;
  return {
    ...(gated ? ungated : rest),
    containers: withoutImages(spec.containers),
    initContainers: withoutImages(spec.initContainers),
    terminationGracePeriodSeconds: spec.terminationGracePeriodSeconds ?? null,
  };
}

function withoutImages(containers: Json | undefined): Json {
  return ((containers ?? []) as JsonObject[]).map(({ image: _image, ...container }) => container);
}
