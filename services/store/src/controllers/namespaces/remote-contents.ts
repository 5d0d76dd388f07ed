import type { ObjectMeta } from '@tidegate/kinds';
import { API_SERVICES_PATH, type ApiService } from '../apis/api-service-controller.ts';
import type { Gateway, GatewayAnswer } from '../port.ts';

/** What a namespace still contains at aggregated API servers, and which deletions failed. */
export interface RemoteRemains {
  /** by group version, why its contents are unknown */
  readonly undiscovered: ReadonlyMap<string, string>;
  readonly failures: readonly string[];
  readonly objects: ReadonlyMap<string, number>;
  readonly finalizers: ReadonlyMap<string, number>;
}

/** A group version that another server serves. */
interface RemoteGroup {
  readonly groupVersion: string;
  readonly isAvailable: boolean;
}

interface Resource {
  readonly name: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
}

interface Found {
  failures: string[];
  undiscovered: Map<string, string>;
  objects: Map<string, number>;
  finalizers: Map<string, number>;
}

/**
 * Empties namespaces at aggregated API servers, with requests to the gateway.
 *
 * Invariant: a server that cannot be reached is never considered empty. The list of servers is read for each namespace,
 * because a server may have been registered just now.
 */
export class RemoteContents {
  readonly #gateway: Pick<Gateway, 'send'>;

  constructor(gateway: Pick<Gateway, 'send'>) {
    this.#gateway = gateway;
  }

  /** Deletes the namespace's objects. Returns what is left. */
  async empty(namespace: string): Promise<RemoteRemains> {
    const found: Found = { failures: [], undiscovered: new Map(), objects: new Map(), finalizers: new Map() };
    for (const group of await this.#groups(found)) {
      const resources = await this.#resourcesOf(group);
      if (resources === undefined) {
        found.undiscovered.set(group.groupVersion, `stale GroupVersion discovery: ${group.groupVersion}`);
        continue;
      }
      for (const resource of resources) await this.#emptyOne(group, { namespace, resource, found });
    }
    return found;
  }

  async #groups(found: Found): Promise<RemoteGroup[]> {
    const { code, body } = await this.#send('GET', API_SERVICES_PATH);
    if (code !== 200) found.failures.push(failure(API_SERVICES_PATH, code, body));
    return ((body.items ?? []) as ApiService[]).flatMap(remoteOf);
  }

  /** undefined where the server does not answer. */
  async #resourcesOf({ groupVersion, isAvailable }: RemoteGroup): Promise<Resource[] | undefined> {
    if (!isAvailable) return undefined;
    const { code, body } = await this.#send('GET', `/apis/${groupVersion}`);
    if (code !== 200) return undefined;
    const all = (body.resources ?? []) as Resource[];
    return all.filter(({ name, namespaced, verbs }) => namespaced && !name.includes('/') && verbs.includes('delete'));
  }

  async #emptyOne(
    { groupVersion }: RemoteGroup,
    { namespace, resource, found }: { namespace: string; resource: Resource; found: Found },
  ): Promise<void> {
    const path = `/apis/${groupVersion}/namespaces/${namespace}/${resource.name}`;
    const [group = ''] = groupVersion.split('/');
    if (resource.verbs.includes('deletecollection')) await this.#delete(path, found);
    if (!resource.verbs.includes('list')) return;
    let left = await this.#list(path, found);
    if (left.length > 0 && !resource.verbs.includes('deletecollection')) {
      for (const { name } of left) await this.#delete(`${path}/${encodeURIComponent(name ?? '')}`, found);
      left = await this.#list(path, found);
    }
    if (left.length > 0) found.objects.set(`${resource.name}.${group}`, left.length);
    for (const finalizer of left.flatMap(({ finalizers = [] }) => finalizers)) {
      found.finalizers.set(finalizer, (found.finalizers.get(finalizer) ?? 0) + 1);
    }
  }

  async #delete(path: string, found: Found): Promise<void> {
    const options = { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Background' };
    const { code, body } = await this.#send('DELETE', path, options);
    if (![200, 202, 404, 405].includes(code)) found.failures.push(failure(path, code, body));
  }

  async #list(path: string, found: Found): Promise<ObjectMeta[]> {
    const { code, body } = await this.#send('GET', path);
    if (code === 404 || code === 405) return [];
    if (code !== 200) {
      found.failures.push(failure(path, code, body));
      return [];
    }
    return ((body.items ?? []) as Array<{ metadata: ObjectMeta }>).map(({ metadata }) => metadata);
  }

  /** A server that does not answer is a failure of this namespace, which its conditions report. */
  async #send(method: string, path: string, object?: unknown): Promise<GatewayAnswer> {
    try {
      return await this.#gateway.send(method, path, object);
    } catch (error) {
      return { code: 0, body: { message: `${path}: ${(error as Error).message}` } };
    }
  }
}

function remoteOf({ spec, status }: ApiService): RemoteGroup[] {
  if (spec.service === undefined) return [];
  const available = status?.conditions?.find(({ type }) => type === 'Available');
  return [{ groupVersion: `${spec.group ?? ''}/${spec.version}`, isAvailable: available?.status === 'True' }];
}

function failure(path: string, code: number, body: Record<string, unknown>): string {
  return String(body.message ?? `${path} was answered with ${code}`);
}
