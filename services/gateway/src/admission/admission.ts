import { type Kind, kindOf, metaOf } from '@tidegate/kinds';
import type { JsonObject } from '@tidegate/schema';
import { pathFlag } from '../request/query-parameters.ts';
import type { Operation, ResourceRequest } from '../request/resource-request.ts';
import { isDryRun } from '../request/write-options.ts';
import { type AdmissionPorts, Admitting } from './admitting.ts';
import type { Configurations } from './configurations.ts';

interface Asking {
  readonly operation: Operation;
  /** of the objects, where a subresource has its own */
  readonly kind?: Kind;
  /** where the path does not name the object */
  readonly name?: string;
  /** those of the query, where they are not others */
  readonly options?: () => JsonObject | null;
  readonly isDryRun?: boolean;
}

/** The webhooks and policies that take part in admission. */
export class Admission {
  readonly #configurations: Configurations;
  readonly #ports: AdmissionPorts;

  constructor(configurations: Configurations, ports: AdmissionPorts) {
    this.#configurations = configurations;
    this.#ports = ports;
  }

  /** Resolves when all configurations are loaded; before that no write can be admitted. */
  async known(): Promise<void> {
    if (!this.#configurations.areKnown) await this.#configurations.known();
  }

  /** The webhooks and policies that a request concerns; undefined where there are none. */
  of(request: ResourceRequest, asking: Asking): Admitting | undefined {
    const { info, user, warnings, conversions, record, notes } = request;
    const { operation, kind = request.kind } = asking;
    const dryRun = asking.isDryRun ?? isDryRun(request);
    const act = { operation, kind: request.kind, resource: info.resource, subresource: info.subresource };
    const asked = { act, name: info.name || (asking.name ?? '') };
    const mutating = this.#configurations.hooksAt('mutating', asked);
    const validating = this.#configurations.hooksAt('validating', asked);
    const policies = this.#configurations.policiesAt(asked);
    if (mutating.length + validating.length + policies.length === 0) return undefined;
    const options = asking.options === undefined ? optionsOf(request, operation) : asking.options();
    const { name, namespace } = info;
    const attributes = { act, kind, name, namespace, user, options, isDryRun: dryRun, conversions, record, notes };
    return new Admitting({ ports: this.#ports, attributes, mutating, validating, policies, warnings });
  }

  /** An object that is created but not stored, as the webhooks change it. */
  async admitCreation(own: ResourceRequest, object: JsonObject): Promise<JsonObject> {
    const parent = this.#ports.registry.find(own.info.group, own.info.version, own.info.resource) ?? own.kind;
    const name = metaOf(object).name ?? '';
    const admitting = this.of({ ...own, kind: parent }, { operation: 'CREATE', kind: own.kind, name });
    if (admitting === undefined) return object;
    const made = (await admitting.mutate({ object, old: undefined })) ?? object;
    await admitting.validate({ object: made, old: undefined });
    return made;
  }

  /** A client that opens a stream or uses a proxy creates no object, but webhooks may deny the connection. */
  async admitConnection(request: ResourceRequest, container = ''): Promise<void> {
    const { info, kind } = request;
    const name = CONNECTIONS[`${info.resource}/${info.subresource}`] ?? '';
    const own = kindOf({ ...kind.entry, group: '', version: 'v1', kind: name });
    const admitting = this.of(request, { operation: 'CONNECT', kind: own, options: () => null, isDryRun: false });
    if (admitting === undefined) return;
    const object = { kind: name, apiVersion: 'v1', ...connectOptions(request, container) };
    await admitting.mutate({ object, old: undefined });
    await admitting.validate({ object, old: undefined });
  }
}

/** The kinds of the options with which a connection is opened. Only webhooks and policies see them. */
const CONNECTIONS: Readonly<Record<string, string>> = {
  'pods/exec': 'PodExecOptions',
  'pods/attach': 'PodAttachOptions',
  'pods/portforward': 'PodPortForwardOptions',
  'pods/proxy': 'PodProxyOptions',
  'services/proxy': 'ServiceProxyOptions',
  'nodes/proxy': 'NodeProxyOptions',
};

const API_VERSION = 'meta.k8s.io/v1';
const KINDS = { CREATE: 'CreateOptions', UPDATE: 'UpdateOptions', DELETE: 'DeleteOptions', CONNECT: '' };

function optionsOf(request: ResourceRequest, operation: Operation): JsonObject {
  const { query } = request.info;
  const options: JsonObject = { kind: KINDS[operation], apiVersion: API_VERSION };
  if (isDryRun(request)) options.dryRun = ['All'];
  for (const name of ['fieldManager', 'fieldValidation']) {
    const value = query.get(name);
    if (value) options[name] = value;
  }
  return options;
}

function connectOptions({ info }: ResourceRequest, container: string): JsonObject {
  const { query, subresource } = info;
  if (subresource === 'proxy') return { path: info.subpath === '' ? '/' : info.subpath };
  if (subresource === 'portforward')
    return { ports: query.all('ports').flatMap((text) => text.split(',').map(Number)) };
  const streams = ['stdin', 'stdout', 'stderr', 'tty'].filter((stream) => pathFlag(query, stream));
  return {
    ...Object.fromEntries(streams.map((stream) => [stream, true])),
    container,
    ...(subresource === 'exec' ? { command: [...query.all('command')] } : {}),
  };
}
