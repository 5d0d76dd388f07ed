import type { JsonObject } from '@tidegate/schema';
import { relativePath, required } from '../rules/checks.ts';
import type { Place } from '../rules/place.ts';
import type { Check, RuleTable } from '../rules/type-rules.ts';

const SUBPATHS = ['subPath', 'subPathExpr'] as const;

/** Checks the volume mounts of a container; each needs its own path. */
export function mountPaths(list: Place): void {
  const container = list.up(1);
  const devices = namesIn(container.field('volumeDevices'), 'name');
  const devicePaths = namesIn(container.field('volumeDevices'), 'devicePath');
  const seen = new Set<unknown>();
  for (const mount of list.items()) {
    const [path, name] = [mount.field('mountPath'), mount.field('name')];
    if (path.text !== '' && seen.has(path.text)) path.invalid('must be unique');
    seen.add(path.text);
    if (devices.has(name.text)) name.invalid('must not already exist in volumeDevices');
    if (devicePaths.has(path.text)) path.invalid('must not already exist as a path in volumeDevices');
    // Kubernetes reports the following errors for the list, without the index
    for (const part of SUBPATHS) {
      if (mount.has(part)) relativePath(list.as(part, mount.object[part]));
    }
    if (!mount.field('subPath').isEmpty && !mount.field('subPathExpr').isEmpty) {
      mount.field('subPathExpr').invalid('subPathExpr and subPath are mutually exclusive');
    }
    propagation(list, mount, container);
    recursion(list, mount);
  }
}

/** The values of one field of all items. */
function namesIn(list: Place, field: string): ReadonlySet<unknown> {
  return new Set(list.list.map((item) => (item as JsonObject)[field]));
}

const PROPAGATIONS = ['Bidirectional', 'HostToContainer', 'None'];

function propagation(list: Place, mount: Place, container: Place): void {
  const field = list.as('mountPropagation', mount.object.mountPropagation);
  if (field.value === undefined) return;
  if (!PROPAGATIONS.includes(field.text)) field.unsupported(PROPAGATIONS);
  const privileged = container.field('securityContext.privileged').value;
  if (field.text === 'Bidirectional' && privileged !== true) {
    field.forbidden('Bidirectional mount propagation is available only to privileged containers');
  }
}

const RECURSIONS = ['Disabled', 'Enabled', 'IfPossible'];

function recursion(list: Place, mount: Place): void {
  const field = list.as('recursiveReadOnly', mount.object.recursiveReadOnly);
  if (field.value === undefined || field.text === 'Disabled') return;
  if (!RECURSIONS.includes(field.text)) {
    field.unsupported(RECURSIONS);
    return;
  }
  if (mount.object.readOnly !== true) field.forbidden('may only be specified when readOnly is true');
  if ((mount.object.mountPropagation ?? 'None') !== 'None') {
    field.forbidden('may only be specified when mountPropagation is None or not specified');
  }
}

/** Checks the volume devices of a container. */
export const devices: Check = (list) => {
  const mounts = namesIn(list.up(1).field('volumeMounts'), 'name');
  const mountPaths = namesIn(list.up(1).field('volumeMounts'), 'mountPath');
  const [names, paths] = [new Set<string>(), new Set<string>()];
  for (const device of list.items()) {
    const [name, path] = [device.field('name'), device.field('devicePath')];
    if (name.text !== '' && names.has(name.text)) name.invalid('must be unique');
    names.add(name.text);
    if (paths.has(path.text)) path.invalid('must be unique');
    if (path.text.split('/').includes('..')) path.invalid("can not contain backsteps ('..')");
    else paths.add(path.text);
    if (mounts.has(name.text)) name.invalid('must not already exist in volumeMounts');
    if (mountPaths.has(path.text)) path.invalid('must not already exist as a path in volumeMounts');
  }
};

export const BLOCK_SOURCES = ['persistentVolumeClaim', 'ephemeral'];

export const mountChecks: RuleTable = {
  'core.v1.VolumeMount': { name: required(), mountPath: required() },
  'core.v1.VolumeDevice': { name: required(), devicePath: required() },
};
