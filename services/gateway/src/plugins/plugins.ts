import type { Revision } from '@tidegate/revision';
import type { JsonObject } from '@tidegate/schema';
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
const resourceQuota: Plugin = { name: 'ResourceQuota', concerns: [], keeps: ['resourcequotas'] };

/** The order here does not matter: plugins run in the order of their names in names.ts. */
const BUILT_IN: readonly Plugin[] = [
  certificateApproval,
  certificateSigning,
  certificateSubjectRestriction,
  claimResize,
  clusterTrustBundleAttest,
  defaultIngressClass,
  defaultStorageClass,
  defaultTolerations,
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

/** How long a request waits for the objects that a plugin needs. */
const FIRST_MS = 5000;
/** How long a write of such an object waits for its own effect; without the watch service there is none yet. */
const WRITTEN_MS = 1000;

/**
 * The built-in plugins that are switched on, by what they are asked about.
 *
 * Invariant: at each station they stand in Kubernetes' order. What nobody is concerned with has no station, and costs
 * one look into a map.
 */
export class Plugins {
  readonly #on: ReadonlySet<PluginName>;
  readonly #stations = new Map<string, Station>();
  /** of those who are asked about whatever is written */
  readonly #everywhere: Station | undefined;
  readonly #views: ReadonlyMap<string, LiveView<JsonObject>>;
  readonly #mirrors: MirrorPort;
  readonly #kept: readonly string[];
  /** what a write of an object that plugins look up waits for */
  readonly followed: readonly Followed[];

  constructor(ports: PluginPorts, options: PluginOptions) {
    const { mirrors } = ports;
    this.#mirrors = mirrors;
    this.#on = enabledPlugins(options);
    const plugins = inOrder(BUILT_IN.filter(({ name }) => this.#on.has(name)));
    const needs = new Set(plugins.flatMap(({ needs: resources = [] }) => resources));
    this.#views = new Map([...needs].map((resource) => [resource, viewOf(mirrors, resource)]));
    this.#kept = plugins.flatMap(({ keeps = [] }) => keeps);
    this.followed = [
      ...[...this.#views.values()].map((view) => ({
        resource: view.resource,
        through: (revision: Revision) => view.through(revision, WRITTEN_MS),
      })),
      ...this.#kept.map((resource) => ({
        resource,
        through: (revision: Revision) => mirrors.collection(resource, revision, WRITTEN_MS),
      })),
    ];
    const lookups = {
      ...ports.lookups,
      known: (resource: string, namespace?: string) => this.#known(resource, namespace),
    };
    for (const concern of new Set(plugins.flatMap(({ concerns }) => concerns))) {
      const asked = plugins.filter(({ concerns }) => concerns.includes(concern) || concerns.includes(ALL));
      this.#stations.set(concern, new Station(asked, lookups));
    }
    this.#everywhere = this.#stations.get(ALL);
  }

  start(): void {
    for (const view of this.#views.values()) view.start();
    for (const resource of this.#kept) this.#mirrors.keep(resource);
  }

  isOn(name: PluginName): boolean {
    return this.#on.has(name);
  }

  /** Who is to be asked; undefined: nobody. */
  at(operation: Operation, { kind, info: { subresource } }: ResourceRequest): Station | undefined {
    const path = subresource === '' ? kind.storedAs : `${kind.storedAs}/${subresource}`;
    return this.#stations.get(`${operation} ${path}`) ?? this.#everywhere;
  }

  /** The objects of a resource that a plugin needs, as the mirror has them; namespace "" or none stands for all. */
  async #known(resource: string, namespace = ''): Promise<readonly JsonObject[]> {
    const view = this.#views.get(resource);
    if (view === undefined) throw new Error(`no plugin says that it needs ${resource}`);
    await view.known();
    return view.inNamespace(namespace);
  }
}

function viewOf(mirrors: MirrorPort, resource: string): LiveView<JsonObject> {
  const unknown = `the ${resource} are not loaded yet; retry shortly`;
  return new LiveView({ mirrors, resource, make: frozen, patienceMs: FIRST_MS, unknown });
}

/** All plugins share these objects, so none of them may change one. */
function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const part of Object.values(value)) frozen(part);
  }
  return value;
}

/** The plugins that are asked about one sort of write, one after another. */
export class Station {
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
