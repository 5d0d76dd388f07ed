import type { Revision } from '@tidegate/revision';
import type { Operation } from '../admission/act.ts';
import type { Mirrors } from '../mirror/mirrors.ts';
import { resourceQuota } from '../quota/commit-counted.ts';
import type { ResourceRequest } from '../request/resource-request.ts';
import { claimResize } from './claim-resize.ts';
import { defaultIngressClass, defaultStorageClass } from './default-classes.ts';
import { inUseProtection } from './in-use-protection.ts';
import { limitRanger } from './limit-ranger.ts';
import { enabledPlugins, type PluginName, type PluginOptions, pluginNames } from './names.ts';
import { newNodes } from './new-nodes.ts';
import { ownerReferences } from './owner-references.ts';
import type { Admitted, Plugin } from './plugin.ts';
import { podSecurity } from './pod-security.ts';
import { priority } from './priority.ts';
import { runtimeClass } from './runtime-class.ts';
import { serviceAccount } from './service-account.ts';
import {
  certificateApproval,
  certificateSigning,
  certificateSubjectRestriction,
  clusterTrustBundleAttest,
} from './signers.ts';
import { defaultTolerations } from './tolerations.ts';

/** In any order: they are asked in that of their names. */
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

const ALL = '*';

/** How long a write of what plugins look up waits for its own effect; without the watch service it has none yet. */
const PATIENCE_MS = 1000;

/**
 * The built-in plugins that are switched on, by what they are asked about.
 *
 * Invariant: at each station they stand in Kubernetes' order. What nobody is concerned with has no station, and costs
 * one look into a map.
 */
export class Plugins {
  readonly #mirrors: Mirrors;
  readonly #on: ReadonlySet<PluginName>;
  readonly #stations = new Map<string, Station>();
  /** of those who are asked about whatever is written */
  readonly #everywhere: Station | undefined;
  readonly #needs: ReadonlySet<string>;

  constructor(mirrors: Mirrors, options: PluginOptions) {
    this.#mirrors = mirrors;
    this.#on = enabledPlugins(options);
    const plugins = inOrder(BUILT_IN.filter(({ name }) => this.#on.has(name)));
    this.#needs = new Set(plugins.flatMap(({ needs = [] }) => needs));
    for (const concern of new Set(plugins.flatMap(({ concerns }) => concerns))) {
      const asked = plugins.filter(({ concerns }) => concerns.includes(concern) || concerns.includes(ALL));
      this.#stations.set(concern, new Station(asked));
    }
    this.#everywhere = this.#stations.get(ALL);
  }

  start(): void {
    for (const resource of this.#needs) this.#mirrors.keep(resource);
  }

  isOn(name: PluginName): boolean {
    return this.#on.has(name);
  }

  /** Who is to be asked; undefined: nobody. */
  at(operation: Operation, { kind, info: { subresource } }: ResourceRequest): Station | undefined {
    const path = subresource === '' ? kind.storedAs : `${kind.storedAs}/${subresource}`;
    return this.#stations.get(`${operation} ${path}`) ?? this.#everywhere;
  }

  /** After something was written here that plugins look up: what it says is so from now on. */
  async through(resource: string, revision: Revision): Promise<void> {
    if (this.#needs.has(resource)) await this.#mirrors.collection(resource, revision, PATIENCE_MS);
  }
}

/** The plugins that are asked about one sort of write, one after another. */
export class Station {
  readonly #plugins: readonly Plugin[];

  constructor(plugins: readonly Plugin[]) {
    this.#plugins = plugins;
  }

  async mutate(admitted: Admitted): Promise<void> {
    for (const plugin of this.#plugins) await plugin.mutate?.(admitted);
  }

  async validate(admitted: Admitted): Promise<void> {
    for (const plugin of this.#plugins) await plugin.validate?.(admitted);
  }
}

function inOrder(plugins: readonly Plugin[]): Plugin[] {
  return plugins.toSorted((a, b) => pluginNames.indexOf(a.name) - pluginNames.indexOf(b.name));
}
