import type { Revision } from '@tidegate/revision';
import { frozen, type JsonObject } from '@tidegate/schema';
import { LiveView, type MirrorPort } from '../live/live-view.ts';
import type { Followed } from '../live/live-views.ts';
import type { Operation, ResourceRequest } from '../request/resource-request.ts';
import {
  certificateApproval,
  certificateSigning,
  certificateSubjectRestriction,
  clusterTrustBundleAttest,
} from './certificates.ts';
import { defaultIngressClass, defaultStorageClass } from './default-classes.ts';
import { denyServiceExternalIps } from './external-ips.ts';
import { alwaysPullImages } from './images.ts';
import { limitRanger } from './limit-ranger.ts';
import { enabledPlugins, type PluginName, type PluginOptions, pluginNames } from './names.ts';
import { ownerReferences } from './owner-references.ts';
import type { Admitted, Lookups, Plugin } from './plugin.ts';
import { podSecurity } from './pod-security.ts';
import { priority } from './priority.ts';
import { runtimeClass } from './runtime-class.ts';
import { serviceAccount } from './service-account.ts';
import { claimResize, inUseProtection } from './storage-objects.ts';
import { defaultTolerations, newNodes } from './taints.ts';

/** Quota usage is written in the same commit as the object that is counted, so this plugin has no check of its own. */
const resourceQuota: Plugin = { name: 'ResourceQuota', handles: [], keeps: ['resourcequotas'] };

/** The order here does not matter: plugins run in the order of their names in names.ts. */
const BUILT_IN: readonly Plugin[] = [
  alwaysPullImages,
  certificateApproval,
  certificateSigning,
  certificateSubjectRestriction,
  claimResize,
  clusterTrustBundleAttest,
  defaultIngressClass,
  defaultStorageClass,
  defaultTolerations,
  denyServiceExternalIps,
  inUseProtection,
  limitRanger,
  newNodes,
  ownerReferences,
  podSecurity,
  priority,
  resourceQuota,
  runtimeClass,
  serviceAccount,
];

interface PluginPorts {
  readonly mirrors: MirrorPort;
  readonly lookups: Omit<Lookups, 'known'>;
}

const ALL = '*';

/** How long a request waits for the first load of the objects that a plugin needs. */
const LOAD_TIMEOUT_MS = 5000;
/** How long a write of such an object waits until the plugins see it. Without the watch service they never would. */
const FOLLOW_TIMEOUT_MS = 1000;

/**
 * The enabled built-in plugins, grouped by the operations that they handle.
 *
 * Invariant: each chain runs in Kubernetes' order. An operation without a plugin has no chain, and costs one map
 * lookup.
 */
export class Plugins {
  readonly #enabled: ReadonlySet<PluginName>;
  readonly #chains = new Map<string, PluginChain>();
  /** the plugins that handle all writes */
  readonly #forAllWrites: PluginChain | undefined;
  readonly #views: ReadonlyMap<string, LiveView<JsonObject>>;
  readonly #mirrors: MirrorPort;
  readonly #kept: readonly string[];
  /** a write to one of these resources waits until the plugins see it */
  readonly followed: readonly Followed[];

  constructor(ports: PluginPorts, options: PluginOptions) {
    const { mirrors } = ports;
    this.#mirrors = mirrors;
    this.#enabled = enabledPlugins(options);
    const plugins = inOrder(BUILT_IN.filter(({ name }) => this.#enabled.has(name)));
    const needs = new Set(plugins.flatMap(({ needs: resources = [] }) => resources));
    this.#views = new Map([...needs].map((resource) => [resource, viewOf(mirrors, resource)]));
    this.#kept = plugins.flatMap(({ keeps = [] }) => keeps);
    this.followed = [
      ...[...this.#views.values()].map((view) => ({
        resource: view.resource,
        through: (revision: Revision) => view.through(revision, FOLLOW_TIMEOUT_MS),
      })),
      ...this.#kept.map((resource) => ({
        resource,
        through: (revision: Revision) => mirrors.collection(resource, revision, FOLLOW_TIMEOUT_MS),
      })),
    ];
    const lookups = {
      ...ports.lookups,
      known: (resource: string, namespace?: string) => this.#known(resource, namespace),
    };
    for (const operation of new Set(plugins.flatMap(({ handles }) => handles))) {
      const matching = plugins.filter(({ handles }) => handles.includes(operation) || handles.includes(ALL));
      this.#chains.set(operation, new PluginChain(matching, lookups));
    }
    this.#forAllWrites = this.#chains.get(ALL);
  }

  start(): void {
    for (const view of this.#views.values()) view.start();
    for (const resource of this.#kept) this.#mirrors.keep(resource);
  }

  isOn(name: PluginName): boolean {
    return this.#enabled.has(name);
  }

  /** The plugins for an operation; undefined: none. */
  chainFor(operation: Operation, { kind, info: { subresource } }: ResourceRequest): PluginChain | undefined {
    const path = subresource === '' ? kind.storedAs : `${kind.storedAs}/${subresource}`;
    return this.#chains.get(`${operation} ${path}`) ?? this.#forAllWrites;
  }

  /** The mirrored objects of a resource that a plugin needs. Without a namespace: those of all namespaces. */
  async #known(resource: string, namespace = ''): Promise<readonly JsonObject[]> {
    const view = this.#views.get(resource);
    if (view === undefined) throw new Error(`no plugin needs ${resource}`);
    await view.known();
    return view.inNamespace(namespace);
  }
}

function viewOf(mirrors: MirrorPort, resource: string): LiveView<JsonObject> {
  const unknown = `the ${resource} are not loaded yet; retry shortly`;
  return new LiveView({ mirrors, resource, make: frozen, timeoutMs: LOAD_TIMEOUT_MS, unknown });
}

/** The plugins that handle one operation. They run one after another. */
export class PluginChain {
  readonly #plugins: readonly Plugin[];
  readonly #lookups: Lookups;

  constructor(plugins: readonly Plugin[], lookups: Lookups) {
    this.#plugins = plugins;
    this.#lookups = lookups;
  }

  async mutate(write: Omit<Admitted, 'lookups'>): Promise<void> {
    const admitted = { ...write, lookups: this.#lookups };
    for (const plugin of this.#plugins) await plugin.mutate?.(admitted);
  }

  async validate(write: Omit<Admitted, 'lookups'>): Promise<void> {
    const admitted = { ...write, lookups: this.#lookups };
    for (const plugin of this.#plugins) await plugin.validate?.(admitted);
  }
}

function inOrder(plugins: readonly Plugin[]): Plugin[] {
  return plugins.toSorted((a, b) => pluginNames.indexOf(a.name) - pluginNames.indexOf(b.name));
}
