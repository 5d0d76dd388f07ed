import { API_SERVICES, locallyAvailable, localPriority, REGISTRATION_GROUP, type Registry } from '@tidegate/kinds';
import type { Key } from '@tidegate/wire';
import type { Gateway } from '../port.ts';

export const API_SERVICES_PATH = '/apis/apiregistration.k8s.io/v1/apiservices';
/** the label of objects that only this server manages: from the start of a leader's term, or always */
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
 * Writes the APIServices of the group versions that are served here. Those of built-in kinds are written at the start of
 * a leader's term, and then left to users; those of custom kinds are created and deleted with their definitions.
 *
 * Invariant: only objects with the label are changed or deleted. A user who wants another server to serve a group version
 * creates an object of its name without the label, and it stays.
 */
export class ApiServiceController {
  readonly #gateway: Gateway;
  readonly #served: Registry;
  #isFirst = true;
  #settled = false;
  /** the registry's revision for which the objects were written */
  #writtenFor = -1;
  /** the names of the objects that were wanted then */
  #names = '';

  constructor(gateway: Gateway, served: Registry) {
    this.#gateway = gateway;
    this.#served = served;
  }

  /** `changed`: as for the other controllers. The registry must know all definitions by now. */
  async reconcile(changed: readonly Key[] | undefined): Promise<void> {
    if (changed === undefined) this.#isFirst = true;
    const { revision } = this.#served;
    const isTouched = changed?.some(({ resource }) => resource === API_SERVICES) ?? true;
    if (!isTouched && this.#settled && this.#writtenFor === revision) return;
    const wanted = wantedOf(this.#served);
    const names = [...wanted.keys()].sort().join();
    if (!isTouched && this.#settled && this.#names === names) {
      this.#writtenFor = revision;
      return;
    }
    this.#settled = false;
    const { code, body } = await this.#gateway.send('GET', API_SERVICES_PATH);
    if (code !== 200) return;
    const present = (body.items ?? []) as ApiService[];
    this.#settled = await this.#settle(wanted, present);
    if (!this.#settled) return;
    this.#names = names;
    this.#isFirst = false;
    this.#writtenFor = revision;
  }

  async #settle(wanted: ReadonlyMap<string, Wanted>, present: readonly ApiService[]): Promise<boolean> {
    const byName = new Map(present.map((one) => [one.metadata.name, one]));
    const names = [...new Set([...wanted.keys(), ...byName.keys()])];
    let settled = true;
    for (const name of names) {
      const done = await this.#write(name, wanted.get(name), byName.get(name));
      settled = done && settled;
    }
    return settled;
  }

  /** Returns whether the object needs no further pass. */
  async #write(name: string, wanted: Wanted | undefined, present: ApiService | undefined): Promise<boolean> {
    const isLeft = wanted?.managed === 'onstart' && !this.#isFirst;
    if (present === undefined) return wanted === undefined || isLeft || this.#create(name, wanted);
    const managed = present.metadata.labels?.[MANAGED];
    const isOurs = managed === 'true' || (managed === 'onstart' && this.#isFirst);
    if (isOurs && wanted === undefined) return this.#delete(present);
    if (isOurs && !isLeft && wanted !== undefined && !isSameSpec(present.spec, wanted.spec)) {
      const next = { ...present, spec: wanted.spec };
      return (await this.#gateway.send('PUT', `${API_SERVICES_PATH}/${name}`, next)).code === 200;
    }
    return present.spec.service !== undefined || this.#writeLocal(present);
  }

  async #create(name: string, { managed, spec }: Wanted): Promise<boolean> {
    const metadata = { name, labels: { [MANAGED]: managed } };
    const object = { apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService', metadata, spec };
    const { code } = await this.#gateway.send('POST', API_SERVICES_PATH, object);
    return code === 201 || code === 409;
  }

  async #delete({ metadata: { name, uid } }: ApiService): Promise<boolean> {
    const options = { kind: 'DeleteOptions', apiVersion: 'v1', preconditions: { uid } };
    const { code } = await this.#gateway.send('DELETE', `${API_SERVICES_PATH}/${name}`, options);
    return code === 200 || code === 404;
  }

  /** An object that once named another server still has the condition of that server. */
  async #writeLocal({ metadata: { name }, status }: ApiService): Promise<boolean> {
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

function isSameSpec(present: ApiService['spec'], wanted: ApiServiceSpec): boolean {
  const fields = ['group', 'version', 'groupPriorityMinimum', 'versionPriority'] as const;
  return present.service === undefined && fields.every((field) => (present[field] ?? '') === (wanted[field] ?? ''));
}
