import { Deflater, WindowMemory } from '@tidegate/collection';
import { readFeatureGates } from '@tidegate/feature-gates';
import { builtInRegistry } from '@tidegate/kinds';
import { delayMs, type Kit, type KitConfig, type Options, type Service } from '@tidegate/service-kit';
import type { Key } from '@tidegate/wire';
import type { FastifyInstance } from 'fastify';
import { serviceRanges } from './addresses/service-addresses.ts';
import { Admission } from './admission/admission.ts';
import { Configurations } from './admission/configurations.ts';
import { ApiServices, localNames } from './aggregation/api-services.ts';
import { RemoteTargets } from './aggregation/remote-targets.ts';
import { tellVerdict } from './aggregation/tell-verdict.ts';
import { createApp, TOLD_IDLE_MS } from './app.ts';
import { openAuditTrail } from './audit/open.ts';
import { type Authentication, authentication } from './authn/authentication.ts';
import { ServiceAccounts } from './authn/service-accounts.ts';
import { sharedLooks } from './authn/shared-looks.ts';
import { Authorizer } from './authz/authorizer.ts';
import { PolicyMirror } from './authz/policy-mirror.ts';
import { WatchRights } from './authz/watch-rights.ts';
import { authorizationModes } from './authz/webhook/authorization-configuration.ts';
import { AllowedAddresses } from './callouts/allowed-addresses.ts';
import { ServiceTargets } from './callouts/service-targets.ts';
import { WebhookCalls } from './callouts/webhook-calls.ts';
import { StoreSession } from './clients/store-session.ts';
import { WatchLists } from './clients/watch-lists.ts';
import { YamlReader } from './codec/large-yaml/yaml-reader.ts';
import { Negotiator } from './codec/negotiate.ts';
import type { options } from './config.ts';
import { durationOf } from './configuration/duration.ts';
import { Conversions } from './conversion/conversions.ts';
import { Discovery } from './discovery/discovery.ts';
import { serverFacts } from './discovery/server-facts.ts';
import type { Gateway } from './gateway.ts';
import { FirstObjects } from './health/first-objects.ts';
import { addGatewayChecks, watchTrouble } from './health/gateway-checks.ts';
import { StoreProbe } from './health/store-probe.ts';
import { Connections } from './hooks/connections.ts';
import { sparing } from './hooks/sparing.ts';
import { collectGarbage } from './limits/collect-garbage.ts';
import { LargeSteps } from './limits/large-steps.ts';
import { Limits } from './limits/limits.ts';
import { CustomKinds } from './live/custom-kinds.ts';
import { LiveViews } from './live/live-views.ts';
import { declareMetrics } from './metrics.ts';
import { Mirrors } from './mirror/mirrors.ts';
import { WatchTimes } from './mirror/watch-times.ts';
import { Collections } from './objects/collections.ts';
import { Objects } from './objects/objects.ts';
import { Plugins } from './plugins/plugins.ts';
import { BackEnds } from './proxy/back-ends.ts';
import { CountedCommits } from './quota/counted-commits.ts';
import { Lists } from './reading/lists.ts';
import { Watches } from './reading/watches.ts';
import { RequestMetrics } from './telemetry/request-metrics.ts';
import { Serving } from './tls/serving.ts';
import { Commits } from './writing/commits.ts';
import { Writer } from './writing/writer.ts';

/** how long requests that are under way may take when the process is to end */
const DRAIN_MS = 10_000;
/** how long connections stay that are idle, where there is no other gateway to go to */
const IDLE_MS = 1000;
/** within this time all watches end, but for those that begin meanwhile */
const WATCHES_WITHIN_MS = 1000;
const WATCHES_EACH_MS = 25;
const FEW_WATCHES = 10;
/** A webhook, or a server behind the API, may run beside this process, but never be the machine's own metadata service. */
const LOOPBACK = ['127.0.0.0/8', '::1/128'];

/** The gateway: everything it holds can be lost at any moment, and is built again from the other parts. */
export class GatewayService implements Service {
  readonly #config: Options<typeof options> & KitConfig;
  readonly #gateway: Gateway;
  readonly #mirrors: Mirrors;
  readonly #roles: PolicyMirror;
  readonly #authentication: Authentication;
  readonly #operatorsCalls: WebhookCalls;
  readonly #deflater = new Deflater();
  readonly #watchTimes = new WatchTimes();
  readonly #configurations: Configurations;
  readonly #watchLists: WatchLists;
  readonly #store: StoreSession;
  readonly #app: FastifyInstance;
  readonly #connections: Connections;
  readonly #serving: Serving;
  readonly #probe: StoreProbe;
  readonly #firstObjects: FirstObjects;
  readonly #draining = new AbortController();
  readonly shutdownDelayMs: number;

  constructor(config: Options<typeof options> & KitConfig, kit: Kit) {
    this.#config = config;
    const windows = new WindowMemory({ bytes: config.mirrorWindowMemoryMib * 2 ** 20 });
    const metrics = declareMetrics(kit.metrics, windows);
    this.#store = new StoreSession({
      addresses: config.storeAddresses,
      credentials: kit.credentials.client('store'),
      retries: kit.retries,
      retried: () => metrics.storeRetries.inc(),
      resumed: () => metrics.storeStreamsResumed.inc(),
    });
    const registry = builtInRegistry();
    this.#mirrors = new Mirrors({
      addresses: config.watchAddresses,
      credentials: kit.credentials.client('watch'),
      retry: kit.retries.loop('follow the watch service', { firstMs: 100, longestMs: 1000 }),
      tracing: kit.tracing,
      metrics,
      windows,
      memoryBytes: config.mirrorMemoryMib * 2 ** 20,
      largestBytes: config.mirrorLargestMib * 2 ** 20,
      isTypeless: (resource) => registry.isBuiltIn(resource),
      lagged: (ms) => kit.load.lagged(ms),
    });
    this.#watchLists = new WatchLists(config.watchAddresses, kit.credentials.client('watch'), () =>
      metrics.watchListsResumed.inc(),
    );
    const gates = readFeatureGates(config.featureGates);
    for (const notice of gates.notices) kit.log.warn(notice);
    const negotiator = new Negotiator(gates);
    const collection = (resource: string) => collections.known(resource);
    const services = new ServiceTargets(collection);
    const addresses = new AllowedAddresses(LOOPBACK);
    const apiServices = new ApiServices({
      mirrors: this.#mirrors,
      localNames: localNames(registry),
      targets: new RemoteTargets(config, { services, addresses }),
      find: collection,
      tell: (apiService, verdict) => tellVerdict(this.#gateway, apiService, verdict),
      warn: (error, words) => kit.log.warn({ err: error }, words),
      report: (name, isAvailable) => {
        if (isAvailable === undefined) metrics.unavailableApiServices.remove({ name });
        else metrics.unavailableApiServices.set({ name }, isAvailable ? 0 : 1);
      },
    });
    const unanswered = sparing((words) => kit.log.warn(words));
    const webhooks = new WebhookCalls(addresses, services, unanswered);
    const conversions = new Conversions({ webhooks, metrics });
    const collections = new Collections({ store: this.#store, mirrors: this.#mirrors, conversions });
    const objects = new Objects({ registry, store: this.#store, mirrors: this.#mirrors, conversions });
    // whom the operator names may be anywhere
    this.#operatorsCalls = new WebhookCalls(new AllowedAddresses(['0.0.0.0/0', '::/0']), services);
    const asking = { calls: this.#operatorsCalls, warn: (words: string) => kit.log.warn(words) };
    const modes = authorizationModes(config, { ...asking, warn: sparing(asking.warn) });
    for (const notice of modes.notices) kit.log.warn(notice);
    this.#roles = new PolicyMirror({
      mirrors: this.#mirrors,
      store: this.#store,
      changed: () => watchRights.changed(),
    });
    const staleRoles = kit.faults.place('follow roles and bindings');
    this.#probe = new StoreProbe({
      head: () => this.#store.head(),
      heardAt: () => this.#store.heardAt,
      retry: kit.retries.loop('probe the stores', { firstMs: 100, longestMs: 500 }),
      seen: (head, askedAt) => staleRoles.meet(this.#roles.seen(head, askedAt)),
    });
    this.#firstObjects = new FirstObjects({
      exists: async (key) => (await this.#store.read(key)).found,
      retry: kit.retries.loop('look for the first objects', { firstMs: 250, longestMs: 5000 }),
    });
    const authorizer = new Authorizer(modes, this.#roles);
    const plugins = new Plugins(
      { mirrors: this.#mirrors, lookups: { objects, collections, registry, authorizer } },
      config,
    );
    const watchRights = new WatchRights((user, info) => authorizer.recheck(user, info));
    const serviceAccounts = ServiceAccounts.from(
      config,
      sharedLooks((key) => this.#uidOf(key)),
    );
    this.#authentication = authentication(config, {
      log: kit.log,
      serviceAccounts,
      refused: sparing((why) => kit.log.info({ why }, 'A request was not authenticated.')),
      ...asking,
    });
    const customKinds = new CustomKinds({ registry, mirrors: this.#mirrors, store: this.#store });
    this.#configurations = new Configurations(this.#mirrors, registry, plugins);
    const admission = new Admission(this.#configurations, {
      registry,
      store: this.#store,
      objects,
      collections,
      conversions,
      authorizer,
      webhooks,
      metrics,
    });
    const live = new LiveViews(kit.faults.place('hear of a write that was committed here'));
    live.add(customKinds, apiServices, ...this.#configurations.views, ...this.#roles.views, ...plugins.followed);
    const commits = new Commits({ store: this.#store, live });
    const isOn = plugins.isOn('ResourceQuota');
    const quotas = new CountedCommits({ commits, objects, collections, registry, isOn });
    const largeSteps = new LargeSteps({ collectGarbage });
    const writer = new Writer({
      registry,
      objects,
      collections,
      conversions,
      admission,
      plugins,
      authorizer,
      quotas,
      commits,
      largeSteps,
      ranges: serviceRanges(config),
    });
    const limits = new Limits(config, { mirrors: this.#mirrors, registry: kit.metrics });
    const listWriting = { deflater: this.#deflater, largeSteps };
    const reading = { collections, conversions, mirrors: this.#mirrors, store: this.#store, gates, metrics };
    this.#gateway = {
      writer,
      listWriting,
      lists: new Lists({ ...reading, watchLists: this.#watchLists, writing: listWriting }),
      watches: new Watches({
        ...reading,
        rights: watchRights,
        times: this.#watchTimes,
        shortestMs: limits.shortestWatchMs,
      }),
      authenticator: this.#authentication.authenticator,
      tokens: this.#authentication.tokens,
      authorizer,
      limits,
      registry,
      customKinds,
      apiServices,
      discovery: new Discovery(registry, { gates, negotiator }, apiServices, serverFacts(config, kit)),
      admission,
      plugins,
      webhooks,
      conversions,
      objects,
      collections,
      store: this.#store,
      mirrors: this.#mirrors,
      metrics,
      requestMetrics: new RequestMetrics(kit.metrics, (...path) => registry.find(...path)),
      gates,
      negotiator,
      compressionMinBytes: config.responseCompressionMinBytes,
      largeSteps,
      yaml: new YamlReader(),
      backEnds: new BackEnds(config, { objects, collections, registry }),
      components: () => [
        { name: 'store', trouble: this.#probe.storeTrouble() ?? this.#probe.postgresTrouble() },
        { name: 'watch', trouble: watchTrouble({ probe: this.#probe, mirrors: this.#mirrors, roles: this.#roles }) },
      ],
      auditTrail: openAuditTrail(config, kit),
      serviceAccounts,
    };
    const authorityFiles = [config.clientCaFile, config.requestheaderClientCaFile].filter((file) => file !== '');
    this.#serving = new Serving({ ...config, authorityFiles }, kit.log);
    kit.certificates.add(() => this.#serving.inUse());
    this.#app = createApp({ gateway: this.#gateway, kit, serving: this.#serving, ...config });
    this.#connections = new Connections(this.#app.server);
    kit.load.watchers = () => this.#mirrors.watching;
    kit.checks.livezGraceMs = durationOf('livez-grace-period', config.livezGracePeriod);
    this.shutdownDelayMs = durationOf('shutdown-delay-duration', config.shutdownDelayDuration);
    addGatewayChecks(kit.checks, {
      probe: this.#probe,
      mirrors: this.#mirrors,
      admission: this.#configurations,
      roles: this.#roles,
      hasFlowControl: this.#gateway.limits.turns !== undefined,
      customKinds: this.#gateway.customKinds,
      apiServices,
      firstObjects: this.#firstObjects,
      busTrouble: () => this.#store.busTrouble,
    });
  }

  revision(): number {
    return this.#mirrors.through;
  }

  async start(): Promise<void> {
    this.#mirrors.start();
    this.#watchTimes.start();
    // namespaces are looked at all the time; their mirror also shows that the watch service answers
    this.#mirrors.keep('namespaces');
    this.#roles.start();
    this.#gateway.limits.start();
    this.#gateway.customKinds.start();
    this.#configurations.start();
    this.#gateway.plugins.start();
    this.#gateway.apiServices.start();
    this.#authentication.start();
    void this.#probe.run();
    void this.#firstObjects.run(this.#draining.signal);
    const { bindAddress: host, port } = this.#config;
    await this.#app.listen({ host, port, reusePort: true } as never);
  }

  /** Nothing new comes in; who is here finishes, or goes on at another gateway. */
  async drain(): Promise<void> {
    this.#draining.abort();
    const drained = new AbortController();
    const ended = this.#endWatches(drained.signal);
    // with a delay there are others, and clients to be spared
    const idleMs = this.shutdownDelayMs > 0 ? TOLD_IDLE_MS : IDLE_MS;
    await this.#connections.drain({ graceMs: DRAIN_MS, idleMs });
    drained.abort();
    await ended;
    this.#probe.stop();
    await this.#app.close();
  }

  /** Bit by bit, so that they do not all come to the others at once: each goes on there from the bookmark that is the last word here. */
  async #endWatches(drained: AbortSignal): Promise<void> {
    const atOnce = Math.ceil((this.#mirrors.watching * WATCHES_EACH_MS) / WATCHES_WITHIN_MS);
    while (!drained.aborted) {
      this.#mirrors.endWatches(Math.max(FEW_WATCHES, atOnce));
      await delayMs(WATCHES_EACH_MS, drained);
    }
  }

  async stop(): Promise<void> {
    this.#gateway.limits.stop();
    this.#gateway.apiServices.stop();
    this.#authentication.stop();
    this.#mirrors.stop();
    this.#watchTimes.stop();
    this.#watchLists.close();
    this.#store.close();
    this.#deflater.close();
    await this.#gateway.yaml.close();
    this.#gateway.webhooks.close();
    this.#operatorsCalls.close();
    await this.#gateway.auditTrail?.close();
    this.#serving.close();
  }

  /** Of what is there to stay. */
  async #uidOf(key: Key): Promise<string | undefined> {
    const { found, object } = await this.#store.read(key);
    return found && object !== null && !object.deleting ? object.uid : undefined;
  }
}
