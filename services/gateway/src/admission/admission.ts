import { type Kind, kindOf, metaOf } from '@tidegate/kinds';
import type { JsonObject } from '@tidegate/schema';
import { pathFlag } from '../request/query-parameters.ts';
import type { Operation, ResourceRequest } from '../request/resource-request.ts';
import { isDryRun } from '../request/write-options.ts';
import type { Configurations } from './configurations.ts';
import { type AdmissionPorts, RequestAdmission } from './request-admission.ts';

interface Overrides {
  readonly operation: Operation;
  /** of the objects, where a subresource has its own kind */
  readonly kind?: Kind;
  /** the name of the object, where the path has none */
  readonly name?: string;
  /** the options, where they are not those of the query */
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

  /** The webhooks and policies that match a request; undefined if there are none. */
  forRequest(request: ResourceRequest, overrides: Overrides): RequestAdmission | undefined {
    const { info, user, warnings, conversions, record, notes } = request;
    const { operation, kind = request.kind } = overrides;
    const dryRun = overrides.isDryRun ?? isDryRun(request);
    const target = { operation, kind: request.kind, resource: info.resource, subresource: info.subresource };
    const named = { target, name: info.name || (overrides.name ?? '') };
    const mutating = this.#configurations.hooksAt('mutating', named);
    const validating = this.#configurations.hooksAt('validating', named);
    const policies = this.#configurations.policiesAt(named);
    if (mutating.length + validating.length + policies.length === 0) return undefined;
    const options = overrides.options === undefined ? optionsOf(request, operation) : overrides.options();
    const { name, namespace } = info;
    const attributes = { target, kind, name, namespace, user, options, isDryRun: dryRun, conversions, record, notes };
    return new RequestAdmission({ ports: this.#ports, attributes, mutating, validating, policies, warnings });
  }

  /** Admits an object that is created but not stored, and returns it as the webhooks changed it. */
  async admitCreation(own: ResourceRequest, object: JsonObject): Promise<JsonObject> {
    const parent = this.#ports.registry.find(own.info.group, own.info.version, own.info.resource) ?? own.kind;
    const name = metaOf(object).name ?? '';
    const admission = this.forRequest({ ...own, kind: parent }, { operation: 'CREATE', kind: own.kind, name });
    if (admission === undefined) return object;
    const made = (await admission.mutate({ object, old: undefined })) ?? object;
    await admission.validate({ object: made, old: undefined });
    return made;
  }

  /** Admits the opening of a stream or of a proxied connection: no object is created, but webhooks may deny it. */
  async admitConnection(request: ResourceRequest, container = ''): Promise<void> {
    const { info, kind } = request;
    const name = CONNECTIONS[`${info.resource}/${info.subresource}`] ?? '';
    const optionsKind = kindOf({ ...kind.entry, group: '', version: 'v1', kind: name });
    const admission = this.forRequest(request, {
      operation: 'CONNECT',
      kind: optionsKind,
      options: () => null,
      isDryRun: false,
    });
    if (admission === undefined) return;
    const object = { kind: name, apiVersion: 'v1', ...connectOptions(request, container) };
    await admission.mutate({ object, old: undefined });
    await admission.validate({ object, old: undefined });
  }
}

/** The kinds of the options of a connection. Only webhooks and policies see these objects. */
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
