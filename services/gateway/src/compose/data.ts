import type { WindowMemory } from '@tidegate/collection';
import { builtInRegistry, readRuntimeConfig } from '@tidegate/kinds';
import { AllowedAddresses } from '../callouts/allowed-addresses.ts';
import { ServiceTargets } from '../callouts/service-targets.ts';
import { WebhookCalls } from '../callouts/webhook-calls.ts';
import { StoreSession } from '../clients/store-session.ts';
import { WatchLists } from '../clients/watch-lists.ts';
import { RecentObjects } from '../codec/recent-objects.ts';
import { Conversions } from '../conversion/conversions.ts';
import { CustomKinds } from '../live/custom-kinds.ts';
import { LiveViews } from '../live/live-views.ts';
import { Mirrors } from '../mirror/mirrors.ts';
import { Collections } from '../objects/collections.ts';
import { Objects } from '../objects/objects.ts';
import type { Given } from './given.ts';
import { rateLimited } from './rate-limited.ts';

/** Webhooks and aggregated servers may run on this host, but must never be the cloud's metadata service. */
const LOOPBACK = ['127.0.0.0/8', '::1/128'];
const ANYWHERE = ['0.0.0.0/0', '::/0'];

export type Data = ReturnType<typeof composeData>;

/** The objects: the store, their mirrors, the kinds, and the webhooks that convert them. */
export function composeData({ config, kit, metrics }: Given, windows: WindowMemory) {
  const store = new StoreSession({
    addresses: config.storeAddresses,
    credentials: kit.credentials.client('store'),
    retries: kit.retries,
    retried: () => metrics.storeRetries.inc(),
    resumed: () => metrics.storeStreamsResumed.inc(),
  });
  const registry = builtInRegistry(readRuntimeConfig(config.runtimeConfig));
  const mirrors = new Mirrors({
    addresses: config.watchAddresses,
    credentials: kit.credentials.client('watch'),
    retry: kit.retries.loop('follow the watch service', { firstMs: 100, longestMs: 1000 }),
    tracing: kit.tracing,
    metrics,
    windows,
    memoryBytes: config.mirrorMemoryMib * 2 ** 20,
    largestBytes: config.mirrorLargestMib * 2 ** 20,
    isTypeless: (resource) => registry.isBuiltIn(resource),
    lagged: (ms) => kit.load.noteLag(ms),
  });
  const watchLists = new WatchLists(config.watchAddresses, kit.credentials.client('watch'), () =>
    metrics.watchListsResumed.inc(),
  );
  const find = (resource: string) => collections.known(resource);
  const services = new ServiceTargets(find);
  const addresses = new AllowedAddresses(LOOPBACK);
  const unanswered = rateLimited((words) => kit.log.warn(words));
  const webhooks = new WebhookCalls(addresses, services, unanswered);
  // webhooks in configuration files are chosen by the operator, so any address is allowed
  const operatorsWebhooks = new WebhookCalls(new AllowedAddresses(ANYWHERE), services);
  const conversions = new Conversions({ webhooks, metrics });
  const collections = new Collections({ store, mirrors, conversions });
  const recent = new RecentObjects({ isWatched: (resource) => mirrors.watchers(resource) > 0 });
  const objects = new Objects({ registry, store, mirrors, conversions });
  const customKinds = new CustomKinds({ registry, mirrors, store });
  const live = new LiveViews(kit.faults.place('hear of a write that was committed here'));
  live.add(customKinds);
  return {
    store,
    registry,
    mirrors,
    watchLists,
    services,
    addresses,
    webhooks,
    operatorsWebhooks,
    conversions,
    collections,
    objects,
    recent,
    customKinds,
    live,
    find,
    start() {
      mirrors.start();
      // admission always needs namespaces; their mirror also shows that the watch service answers
      mirrors.keep('namespaces');
      customKinds.start();
    },
    stop() {
      mirrors.stop();
      watchLists.close();
      store.close();
      webhooks.close();
      operatorsWebhooks.close();
    },
  };
}
