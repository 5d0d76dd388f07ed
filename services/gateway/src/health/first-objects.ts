import type { Closing, Retry } from '@tidegate/service-kit';
import type { Key } from '@tidegate/wire';

interface FirstObjectsOptions {
  readonly exists: (key: Key) => Promise<boolean>;
  /** the backoff before a missing object is read again */
  readonly retry: Pick<Retry, 'failed' | 'succeeded'>;
}

const inNamespace = (namespace: string, resource: string, name: string): Key => ({ resource, namespace, name });
const ofCluster = (resource: string, name: string): Key => ({ resource, namespace: '', name });

/** The objects that controllers create in a new cluster, by the start-up hook that creates them in kube-apiserver. */
export const FIRST_OBJECTS: Readonly<Record<string, readonly Key[]>> = {
  'start-system-namespaces-controller': ['default', 'kube-system', 'kube-public', 'kube-node-lease'].map((name) =>
    ofCluster('namespaces', name),
  ),
  // the ConfigMap is absent where its controller is switched off, and that is no failure
  'start-cluster-authentication-info-controller': [ofCluster('namespaces', 'kube-system')],
  'start-service-ip-repair-controllers': [ofCluster('servicecidrs.networking.k8s.io', 'kubernetes')],
  'start-kubernetes-service-cidr-controller': [ofCluster('servicecidrs.networking.k8s.io', 'kubernetes')],
  'scheduling/bootstrap-system-priority-classes': ['system-node-critical', 'system-cluster-critical'].map((name) =>
    ofCluster('priorityclasses.scheduling.k8s.io', name),
  ),
  'bootstrap-controller': [inNamespace('default', 'services', 'kubernetes')],
};

/**
 * Reads the first objects of a cluster until each was found.
 *
 * Invariant: an object that was found is not read again, so that a complete cluster costs nothing.
 */
export class FirstObjects {
  readonly #options: FirstObjectsOptions;
  readonly #missing: Map<string, Key[]>;

  constructor(options: FirstObjectsOptions) {
    this.#options = options;
    this.#missing = new Map(Object.entries(FIRST_OBJECTS).map(([hook, keys]) => [hook, [...keys]]));
  }

  /** Whether all objects of a hook were found. */
  areThere(hook: string): boolean {
    return this.#missing.get(hook)?.length === 0;
  }

  async run(closing: Closing): Promise<void> {
    const { retry } = this.#options;
    while (!closing.aborted) {
      try {
        await this.#look();
        retry.succeeded();
        return;
      } catch (error) {
        await retry.failed(error, closing);
      }
    }
  }

  async #look(): Promise<void> {
    for (const [hook, keys] of this.#missing) {
      const seen = await Promise.all(keys.map((key) => this.#options.exists(key)));
      this.#missing.set(
        hook,
        keys.filter((_, i) => seen[i] === false),
      );
    }
    const missing = [...this.#missing.values()].flat().map(({ resource, name }) => `${resource} ${name}`);
    if (missing.length > 0) throw new Error(`not there yet: ${missing.join(', ')}`);
  }
}
