import { isJsonObject, type Json, type JsonObject, listOf } from '@tidegate/schema';
import { CONTAINER_LISTS } from './plugin.ts';

/** The volume sources that name a secret, and their field for it. */
const VOLUME_SECRETS: ReadonlyArray<readonly [source: string, field: string]> = [
  ['azureFile', 'secretName'],
  ['secret', 'secretName'],
  ['cephfs', 'secretRef'],
  ['cinder', 'secretRef'],
  ['flexVolume', 'secretRef'],
  ['iscsi', 'secretRef'],
  ['rbd', 'secretRef'],
  ['scaleIO', 'secretRef'],
  ['storageos', 'secretRef'],
  ['csi', 'nodePublishSecretRef'],
];

/** Whether any part of a pod references a secret. */
export function namesSecrets(spec: JsonObject): boolean {
  if (listOf(spec, 'imagePullSecrets').length > 0) return true;
  const containers = CONTAINER_LISTS.flatMap((list) => listOf(spec, list));
  if (containers.some((container) => secretsOf(container).length > 0)) return true;
  return listOf(spec, 'volumes').some(
    (volume) =>
      secretsOfVolume(volume).length > 0 ||
      (isJsonObject(volume.projected) &&
        listOf(volume.projected, 'sources').some(({ secret }) => secret !== undefined)),
  );
}

/** Why a pod is rejected if its service account limits the mountable secrets; undefined: it is allowed. */
export function forbiddenSecret(spec: JsonObject, account: JsonObject, pod: 'new' | 'debugged'): string | undefined {
  const { name } = account.metadata as JsonObject;
  const because = `is not allowed because service account ${String(name)} does not reference that`;
  const mountable = namesIn(account, 'secrets');
  const reasons = pod === 'new' ? [...fromVolumes(spec, mountable)] : [];
  const lists = pod === 'new' ? ['initContainers', 'containers'] : ['ephemeralContainers'];
  for (const list of lists) {
    for (const container of listOf(spec, list)) reasons.push(...fromContainer(list, container, mountable));
  }
  const [first] = reasons;
  if (first !== undefined) return `${first} ${because} secret`;
  if (pod === 'debugged') return undefined;
  const pullable = namesIn(account, 'imagePullSecrets');
  const wanted = listOf(spec, 'imagePullSecrets').map((secret) => String(secret.name ?? ''));
  const other = wanted.findIndex((secret) => !pullable.has(secret));
  return other < 0 ? undefined : `imagePullSecrets[${other}].name="${wanted[other]}" ${because} imagePullSecret`;
}

/** Checks all volume sources; kube-apiserver checks `secret` only, so there other sources can mount any secret. */
function fromVolumes(spec: JsonObject, mountable: ReadonlySet<string>): string[] {
  return listOf(spec, 'volumes')
    .flatMap(secretsOfVolume)
    .filter(({ secret }) => !mountable.has(secret))
    .map(({ secret, where }) => `volume with ${where}="${secret}"`);
}

function secretsOfVolume(volume: JsonObject): Array<{ secret: string; where: string }> {
  const single = VOLUME_SECRETS.flatMap(([source, field]) => {
    const named = at(volume, source, field);
    const secret = isJsonObject(named) ? named.name : named;
    if (secret === undefined) return [];
    return [{ secret: String(secret), where: `${source}.${field}${named === secret ? '' : '.name'}` }];
  });
  const projected = isJsonObject(volume.projected) ? listOf(volume.projected, 'sources') : [];
  const sources = projected.flatMap((source) => {
    const secret = at(source, 'secret', 'name');
    return secret === undefined ? [] : [{ secret: String(secret), where: 'projected.sources.secret.name' }];
  });
  return [...single, ...sources];
}

const CONTAINERS: Readonly<Record<string, string>> = {
  initContainers: 'init container',
  containers: 'container',
  ephemeralContainers: 'ephemeral container',
};

function fromContainer(list: string, container: JsonObject, mountable: ReadonlySet<string>): string[] {
  return secretsOf(container)
    .filter(({ secret }) => !mountable.has(secret))
    .map(
      ({ secret, where }) =>
        `${CONTAINERS[list]} ${String(container.name)} with ${where} referencing secret.secretName="${secret}"`,
    );
}

function secretsOf(container: JsonObject): Array<{ secret: string; where: string }> {
  const single = listOf(container, 'env').flatMap(({ name, valueFrom }) => {
    const secret = isJsonObject(valueFrom) ? at(valueFrom, 'secretKeyRef', 'name') : undefined;
    return secret === undefined ? [] : [{ secret: String(secret), where: `envVar ${String(name)}` }];
  });
  const whole = listOf(container, 'envFrom').flatMap((source) => {
    const secret = at(source, 'secretRef', 'name');
    return secret === undefined ? [] : [{ secret: String(secret), where: 'envFrom' }];
  });
  return [...single, ...whole];
}

function namesIn(account: JsonObject, list: string): ReadonlySet<string> {
  return new Set(listOf(account, list).map(({ name }) => String(name ?? '')));
}

function at(object: JsonObject, outer: string, inner: string): Json | undefined {
  const value = object[outer];
  return isJsonObject(value) ? value[inner] : undefined;
}
