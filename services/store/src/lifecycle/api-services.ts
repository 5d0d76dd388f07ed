import { API_SERVICES, locallyAvailable, localPriority, REGISTRATION_GROUP, type Registry } from '@tidegate/kinds';
import type { Key } from '@tidegate/wire';
import type { GatewayClient } from './gateway-client.ts';

export const API_SERVICES_PATH = '/apis/apiregistration.k8s.io/v1/apiservices';
/** by it an object says that nobody but this server looks after it, and since when */
const MANAGED = 'kube-aggregator.kubernetes.io/automanaged';
type Managed = 'onstart' | 'true';

export interface ApiService {
  readonly metadata: { readonly name: string; readonly uid: string; readonly labels?: Record<string, string> };
  readonly spec: ApiServiceSpec & { readonly service?: object };
  readonly status?: { readonly conditions?: ReadonlyArray<Record<string, unknown>> };
}

interface ApiServiceSpec {
  readonly group?: string;
  readonly version: string;
  readonly groupPriorityMinimum: number;
  readonly versionPriority: number;
}

interface Wanted {
  readonly managed: Managed;
  readonly spec: ApiServiceSpec;
}

/**
 * The APIServices of what is served here. Those of the server's own kinds are made when this work begins, and then left to
 * users; those of custom kinds come and go with the definitions.
 *
 * Invariant: only what bears the label is changed or deleted. So whoever wants a group version to be served by somebody
 * else puts an object of its name there, without the label, and it stays.
 */
export class ApiServices {
  readonly #gateway: GatewayClient;
  readonly #served: Registry;
  #begins = true;
  #settled = false;
  #madeFor = -1;
  /** of what was wanted then */
  #names = '';

  constructor(gateway: GatewayClient, served: Registry) {
    this.#gateway = gateway;
    this.#served = served;
  }

  /** The changed keys, or undefined when all may have changed. What is served must be known by now. */
  async round(changed: readonly Key[] | undefined): Promise<void> {
    if (changed === undefined) this.#begins = true;
    const { revision } = this.#served;
    const isTouched = changed?.some(({ resource }) => resource === API_SERVICES) ?? true;
    if (!isTouched && this.#settled && this.#madeFor === revision) return;
    const wanted = wantedOf(this.#served);
    const names = [...wanted.keys()].sort().join();
    if (!isTouched && this.#settled && this.#names === names) {
      this.#madeFor = revision;
      return;
    }
    this.#settled = false;
    const { code, body } = await this.#gateway.send('GET', API_SERVICES_PATH);
    if (code !== 200) return;
    const there = (body.items ?? []) as ApiService[];
    this.#settled = await this.#settle(wanted, there);
    if (!this.#settled) return;
    this.#names = names;
    this.#begins = false;
    this.#madeFor = revision;
  }

  async #settle(wanted: ReadonlyMap<string, Wanted>, there: readonly ApiService[]): Promise<boolean> {
    const byName = new Map(there.map((one) => [one.metadata.name, one]));
    const names = [...new Set([...wanted.keys(), ...byName.keys()])];
    let settled = true;
    for (const name of names) {
      const done = await this.#put(name, wanted.get(name), byName.get(name));
      settled = done && settled;
    }
    return settled;
  }

  /** Answers whether there is no more to do. */
  async #put(name: string, wanted: Wanted | undefined, there: ApiService | undefined): Promise<boolean> {
    const isLeft = wanted?.managed === 'onstart' && !this.#begins;
    if (there === undefined) return wanted === undefined || isLeft || this.#make(name, wanted);
    const managed = there.metadata.labels?.[MANAGED];
    const isOurs = managed === 'true' || (managed === 'onstart' && this.#begins);
    if (isOurs && wanted === undefined) return this.#remove(there);
    if (isOurs && !isLeft && wanted !== undefined && !says(there.spec, wanted.spec)) {
      const next = { ...there, spec: wanted.spec };
      return (await this.#gateway.send('PUT', `${API_SERVICES_PATH}/${name}`, next)).code === 200;
    }
    return there.spec.service !== undefined || this.#tellLocal(there);
  }

  async #make(name: string, { managed, spec }: Wanted): Promise<boolean> {
    const metadata = { name, labels: { [MANAGED]: managed } };
    const object = { apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService', metadata, spec };
    const { code } = await this.#gateway.send('POST', API_SERVICES_PATH, object);
    return code === 201 || code === 409;
  }

  async #remove({ metadata: { name, uid } }: ApiService): Promise<boolean> {
    const options = { kind: 'DeleteOptions', apiVersion: 'v1', preconditions: { uid } };
    const { code } = await this.#gateway.send('DELETE', `${API_SERVICES_PATH}/${name}`, options);
    return code === 200 || code === 404;
  }

  /** One that was made as somebody else's says so until here. */
  async #tellLocal({ metadata: { name }, status }: ApiService): Promise<boolean> {
    const { conditions = [] } = status ?? {};
    if (conditions.some(({ type, reason }) => type === 'Available' && reason === 'Local')) return true;
    const others = conditions.filter(({ type }) => type !== 'Available');
    const patch = { status: { conditions: [...others, locallyAvailable()] } };
    const { code } = await this.#gateway.patch(`${API_SERVICES_PATH}/${name}/status`, patch);
    return code === 200 || code === 404;
  }
}

function wantedOf(served: Registry): Map<string, Wanted> {
  const wanted = new Map<string, Wanted>();
  for (const { entry } of served.all()) {
    const { group, version, custom } = entry;
    const name = `${version}.${group}`;
    if (group === REGISTRATION_GROUP || (custom !== undefined && wanted.has(name))) continue;
    const { group: groupPriorityMinimum, version: versionPriority } = localPriority(group, version);
    const spec = { ...(group === '' ? {} : { group }), version, groupPriorityMinimum, versionPriority };
    wanted.set(name, { managed: custom === undefined ? 'onstart' : 'true', spec });
  }
  return wanted;
}

function says(there: ApiService['spec'], wanted: ApiServiceSpec): boolean {
  const fields = ['group', 'version', 'groupPriorityMinimum', 'versionPriority'] as const;
  return there.service === undefined && fields.every((field) => (there[field] ?? '') === (wanted[field] ?? ''));
}
