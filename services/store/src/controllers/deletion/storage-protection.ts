import { metaOf } from '@tidegate/kinds';
import { isJsonObject, type JsonObject } from '@tidegate/schema';
import type { Key } from '@tidegate/wire';
import type { ControllerName } from '../enabled-controllers.ts';
import type { Gateway, ObjectQueries } from '../port.ts';

interface Protection {
  readonly controller: ControllerName;
  readonly collection: (namespace: string) => string;
  readonly finalizer: string;
  readonly isInUse: (object: JsonObject, lists: Lists) => Promise<boolean>;
}

const VOLUMES = '/api/v1/persistentvolumes';
const CLASSES = '/apis/storage.k8s.io/v1/volumeattributesclasses';

/** By resource: the finalizer that keeps an object while it is used, and how its users are found. */
const PROTECTIONS: Readonly<Record<string, Protection>> = {
  persistentvolumeclaims: {
    controller: 'persistentvolumeclaim-protection-controller',
    collection: (namespace) => `/api/v1/namespaces/${namespace}/persistentvolumeclaims`,
    finalizer: 'kubernetes.io/pvc-protection',
    isInUse: async (claim, lists) => {
      const { name = '', namespace = '' } = metaOf(claim);
      const pods = await lists.of(`/api/v1/namespaces/${namespace}/pods`);
      return pods.some((pod) => mounts(pod, name));
    },
  },
  persistentvolumes: {
    controller: 'persistentvolume-protection-controller',
    collection: () => VOLUMES,
    finalizer: 'kubernetes.io/pv-protection',
    isInUse: async (volume) => partOf(volume, 'status').phase === 'Bound',
  },
  'volumeattributesclasses.storage.k8s.io': {
    controller: 'volumeattributesclass-protection-controller',
    collection: () => CLASSES,
    finalizer: 'kubernetes.io/vac-protection',
    isInUse: async (object, lists) => {
      const { name } = metaOf(object);
      const users = [...(await lists.of(VOLUMES)), ...(await lists.of('/api/v1/persistentvolumeclaims'))];
      return users.some(
        (user) =>
          partOf(user, 'spec').volumeAttributesClassName === name ||
          partOf(user, 'status').currentVolumeAttributesClassName === name,
      );
    },
  },
};

/** The protected resources whose controllers are enabled. */
export function protectedResources(controllers: ReadonlySet<ControllerName>): string[] {
  return Object.keys(PROTECTIONS).filter((resource) =>
    controllers.has((PROTECTIONS[resource] as Protection).controller),
  );
}

/** the last user of an object may be deleted after the object */
const RETRY_MS = 1000;

interface StorageProtectionOptions {
  objects: Pick<ObjectQueries, 'keysBeingDeleted'>;
  gateway: Gateway;
  resources: readonly string[];
  now?: () => number;
}

/**
 * Removes the finalizer of claims, volumes and their classes that are being deleted and no longer used.
 *
 * Invariant: the finalizer is removed only from a version that was found to be deleted before its users were listed,
 * because no pod may begin to use an object after that.
 */
export class StorageProtection {
  readonly #options: StorageProtectionOptions;
  readonly #now: () => number;
  /** by key: the objects that are being deleted and may be used */
  readonly #open = new Map<string, Key>();
  #retryAt = 0;

  constructor(options: StorageProtectionOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  /** `changed`: the changed keys, or undefined where every object may have changed. */
  async reconcile(changed: readonly Key[] | undefined): Promise<void> {
    const fresh = changed ?? (await this.#options.objects.keysBeingDeleted(this.#options.resources));
    for (const key of fresh) this.#open.set(JSON.stringify(key), key);
    if (this.#open.size === 0 || (fresh.length === 0 && this.#now() < this.#retryAt)) return;
    this.#retryAt = this.#now() + RETRY_MS;
    const lists = new Lists(this.#options.gateway);
    for (const [text, key] of this.#open) if (await this.#settle(key, lists)) this.#open.delete(text);
  }

  /** Returns whether the object needs no further pass. */
  async #settle({ resource, namespace, name }: Key, lists: Lists): Promise<boolean> {
    const { collection, finalizer, isInUse } = PROTECTIONS[resource] as Protection;
    const path = `${collection(namespace)}/${encodeURIComponent(name)}`;
    const { code, body } = await this.#options.gateway.send('GET', path);
    if (code !== 200) return code === 404;
    const { deletionTimestamp, finalizers = [], resourceVersion } = metaOf(body as JsonObject);
    if (deletionTimestamp === undefined || !finalizers.includes(finalizer)) return true;
    if (await isInUse(body as JsonObject, lists)) return false;
    const left = finalizers.filter((one) => one !== finalizer);
    const answer = await this.#options.gateway.patch(path, { metadata: { resourceVersion, finalizers: left } });
    return answer.code === 200 || answer.code === 404;
  }
}

/** Lists each path once during one pass. */
class Lists {
  readonly #gateway: Pick<Gateway, 'send'>;
  readonly #known = new Map<string, Promise<readonly JsonObject[]>>();

  constructor(gateway: Pick<Gateway, 'send'>) {
    this.#gateway = gateway;
  }

  of(path: string): Promise<readonly JsonObject[]> {
    const known = this.#known.get(path) ?? this.#list(path);
    this.#known.set(path, known);
    return known;
  }

  async #list(path: string): Promise<readonly JsonObject[]> {
    const { code, body } = await this.#gateway.send('GET', path);
    if (code !== 200) throw new Error(`${path} could not be listed: ${code}`);
    return body.items as JsonObject[];
  }
}

/** A pod without a node does not count: it is no longer started once its claim is being deleted. */
function mounts(pod: JsonObject, claim: string): boolean {
  const { nodeName = '', volumes } = partOf(pod, 'spec');
  if (nodeName === '' || !Array.isArray(volumes)) return false;
  const { name: podName = '' } = metaOf(pod);
  return volumes.filter(isJsonObject).some((volume) => {
    if (volume.ephemeral !== undefined) return `${podName}-${String(volume.name)}` === claim;
    return partOf(volume, 'persistentVolumeClaim').claimName === claim;
  });
}

function partOf(object: JsonObject, name: string): JsonObject {
  const part = object[name];
  return isJsonObject(part) ? part : {};
}
