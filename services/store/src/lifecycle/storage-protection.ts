import { metaOf } from '@tidegate/kinds';
import { isJsonObject, type JsonObject } from '@tidegate/schema';
import type { Key } from '@tidegate/wire';
import { textArray } from '../storage/array-text.ts';
import type { Pool } from '../storage/connection.ts';
import type { Controller } from './controllers.ts';
import type { GatewayClient } from './gateway-client.ts';

interface Protection {
  readonly controller: Controller;
  readonly collection: (namespace: string) => string;
  readonly finalizer: string;
  readonly isInUse: (object: JsonObject, lists: Lists) => Promise<boolean>;
}

const VOLUMES = '/api/v1/persistentvolumes';
const CLASSES = '/apis/storage.k8s.io/v1/volumeattributesclasses';

/** What is kept while it is used, and by whom it is. */
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

/** Those that may be protected, and whose controller runs. */
export function protectedResources(controllers: ReadonlySet<Controller>): string[] {
  return Object.keys(PROTECTIONS).filter((resource) =>
    controllers.has((PROTECTIONS[resource] as Protection).controller),
  );
}

const DELETING =
  'SELECT resource, namespace, name FROM tidegate.objects WHERE deleting AND resource = ANY ($1::text[])';
/** who uses something may be gone after it */
const AGAIN_MS = 1000;

interface StorageProtectionOptions {
  pool: Pool;
  gateway: Pick<GatewayClient, 'send' | 'patch'>;
  resources: readonly string[];
  now?: () => number;
}

/**
 * Lets claims, volumes and their classes go that are deleted and that nobody uses any more.
 *
 * Invariant: a finalizer is taken away only from the version of an object that was found to be deleted before it was looked
 * who uses it: no pod may begin to use it after that.
 */
export class StorageProtection {
  readonly #options: StorageProtectionOptions;
  readonly #now: () => number;
  /** by key: those that are deleted, and perhaps used */
  readonly #open = new Map<string, Key>();
  #again = 0;

  constructor(options: StorageProtectionOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  /** The changed keys, or undefined when all may have changed. */
  async round(changed: readonly Key[] | undefined): Promise<void> {
    const fresh = changed ?? (await this.#deleting());
    for (const key of fresh) this.#open.set(JSON.stringify(key), key);
    if (this.#open.size === 0 || (fresh.length === 0 && this.#now() < this.#again)) return;
    this.#again = this.#now() + AGAIN_MS;
    const lists = new Lists(this.#options.gateway);
    for (const [text, key] of this.#open) if (await this.#settle(key, lists)) this.#open.delete(text);
  }

  async #deleting(): Promise<Key[]> {
    const rows = await this.#options.pool.query(DELETING, [textArray(this.#options.resources)]);
    return rows.map(([resource, namespace, name]) => ({
      resource: String(resource),
      namespace: String(namespace),
      name: String(name),
    }));
  }

  /** Answers whether there is no more to do. */
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

/** What is listed in one round is listed once. */
class Lists {
  readonly #gateway: Pick<GatewayClient, 'send'>;
  readonly #known = new Map<string, Promise<readonly JsonObject[]>>();

  constructor(gateway: Pick<GatewayClient, 'send'>) {
    this.#gateway = gateway;
  }

  of(path: string): Promise<readonly JsonObject[]> {
    const known = this.#known.get(path) ?? this.#list(path);
    this.#known.set(path, known);
    return known;
  }

  async #list(path: string): Promise<readonly JsonObject[]> {
    const { code, body } = await this.#gateway.send('GET', path);
    if (code !== 200) throw new Error(`${path} cannot be listed: ${code}`);
    return body.items as JsonObject[];
  }
}

/** A pod that no node has is not begun any more once its claim is deleted. */
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
