import type { Closing, Retry } from '@tidegate/service-kit';
import type { Key } from '@tidegate/wire';

interface FirstObjectsOptions {
  readonly exists: (key: Key) => Promise<boolean>;
  /** the pauses before a missing object is looked for again */
  readonly retry: Pick<Retry, 'failed' | 'succeeded'>;
}

const inNamespace = (namespace: string, resource: string, name: string): Key => ({ resource, namespace, name });
const ofCluster = (resource: string, name: string): Key => ({ resource, namespace: '', name });

/** What a new cluster gets from its controllers, by the start-up hook that does the same in kube-apiserver. */
export const FIRST_OBJECTS: Readonly<Record<string, readonly Key[]>> = {
  'start-system-namespaces-controller': ['default', 'kube-system', 'kube-public', 'kube-node-lease'].map((name) =>
    ofCluster('namespaces', name),
  ),
  // the ConfigMap itself is left out where its controller is switched off, and is no trouble then
  'start-cluster-authentication-info-controller': [ofCluster('namespaces', 'kube-system')],
  'start-service-ip-repair-controllers': [ofCluster('servicecidrs.networking.k8s.io', 'kubernetes')],
  'start-kubernetes-service-cidr-controller': [ofCluster('servicecidrs.networking.k8s.io', 'kubernetes')],
  'scheduling/bootstrap-system-priority-classes': ['system-node-critical', 'system-cluster-critical'].map((name) =>
    ofCluster('priorityclasses.scheduling.k8s.io', name),
  ),
  'bootstrap-controller': [inNamespace('default', 'services', 'kubernetes')],
};

/**
 * Looks for the first objects of a cluster until each was seen.
 *
 * Invariant: what was seen is not looked for again, so that a cluster which has all of them costs nothing.
 */
export class FirstObjects {
  readonly #options: FirstObjectsOptions;
  readonly #missing: Map<string, Key[]>;

  constructor(options: FirstObjectsOptions) {
    this.#options = options;
    this.#missing = new Map(Object.entries(FIRST_OBJECTS).map(([hook, keys]) => [hook, [...keys]]));
  }

  /** Whether all that belongs to a hook was seen. */
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
