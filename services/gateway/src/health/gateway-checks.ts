import { API_SERVICES, DEFINITIONS } from '@tidegate/kinds';
import type { Checks } from '@tidegate/service-kit';
import { POLICY_RESOURCES } from '../authz/policy-mirror.ts';
import { FLOW_RESOURCES } from '../flow/flow-mirror.ts';
import type { Mirrors } from '../mirror/mirrors.ts';
import type { StoreProbe } from './store-probe.ts';

interface Around {
  readonly probe: StoreProbe;
  readonly mirrors: Pick<Mirrors, 'peek' | 'connected'>;
  /** webhooks and policies are loaded */
  readonly admission: { readonly areKnown: boolean };
  /** the mirrored roles are less than five seconds old */
  readonly roles: { readonly isFresh: boolean };
  readonly hasFlowControl: boolean;
  /** definitions and API services are loaded */
  readonly customKinds: { readonly areKnown: boolean };
  readonly apiServices: {
    readonly isKnown: boolean;
    readonly areRegistered: boolean;
    readonly areLocalAvailable: boolean;
    readonly areRemoteChecked: boolean;
  };
  readonly firstObjects: { areThere(hook: string): boolean };
  /** the trouble with the bus that the store reports */
  readonly busTrouble: () => string | undefined;
}

/** The health checks of a gateway and of its dependencies. A check reports the last known state and makes no call. */
export function addGatewayChecks(checks: Checks, around: Around): void {
  const { probe, busTrouble } = around;
  const storageTrouble = () => probe.storeTrouble() ?? probe.postgresTrouble();
  // the name of the storage check in Kubernetes; excluding it also excludes the checks of its parts
  checks.add('etcd', storageTrouble, { wedged: () => probe.wedged() });
  checks.add('etcd-readiness', storageTrouble, { group: STORAGE, readinessOnly: true });
  checks.add('postgres', () => probe.postgresTrouble(), { group: STORAGE });
  checks.add('nats', busTrouble, { required: false });
  checks.add('store', () => probe.storeTrouble(), { group: STORAGE, wedged: () => probe.wedged() });
  checks.add('watch', () => watchTrouble(around));
  addHooks(checks, around);
}

const STORAGE = 'etcd';
/** controllers work through a gateway, so their unfinished work must not make gateways unready */
const SHOWN = { required: false };

/** The start-up hooks that exist here, in kube-apiserver's order and with its names. */
function addHooks(checks: Checks, around: Around): void {
  const { mirrors, admission, hasFlowControl, customKinds, apiServices, firstObjects } = around;
  const addFirst = (hook: string) => checks.addHook(hook, () => firstObjects.areThere(hook), SHOWN);
  const areMirrored = (resources: readonly string[]) => resources.every((name) => mirrors.peek(name) !== undefined);
  const areInformed = () =>
    areMirrored([...POLICY_RESOURCES, DEFINITIONS, API_SERVICES, NAMESPACES]) && admission.areKnown;
  checks.add('informer-sync', () => (areInformed() ? undefined : 'collections are still being read'), {
    readinessOnly: true,
  });
  checks.addHook('start-apiserver-admission-initializer', () => admission.areKnown);
  checks.addHook('generic-apiserver-start-informers', () => areMirrored([NAMESPACES]));
  if (hasFlowControl) {
    checks.addHook('priority-and-fairness-config-consumer', () => areMirrored(FLOW_RESOURCES));
    checks.addHook('priority-and-fairness-filter', () => areMirrored(FLOW_RESOURCES));
  }
  checks.addHook('start-apiextensions-informers', () => areMirrored([DEFINITIONS]));
  checks.addHook('start-apiextensions-controllers', () => customKinds.areKnown);
  checks.addHook('crd-informer-synced', () => areMirrored([DEFINITIONS]));
  addFirst('start-system-namespaces-controller');
  addFirst('start-cluster-authentication-info-controller');
  addFirst('start-service-ip-repair-controllers');
  checks.addHook('rbac/bootstrap-roles', () => areMirrored(POLICY_RESOURCES));
  addFirst('scheduling/bootstrap-system-priority-classes');
  addFirst('bootstrap-controller');
  addFirst('start-kubernetes-service-cidr-controller');
  checks.addHook('start-kube-aggregator-informers', () => areMirrored([API_SERVICES]));
  checks.addHook('apiservice-status-local-available-controller', () => apiServices.areLocalAvailable, SHOWN);
  checks.addHook('apiservice-status-remote-available-controller', () => apiServices.areRemoteChecked, SHOWN);
  checks.addHook('apiservice-registration-controller', () => apiServices.isKnown);
  checks.addHook('apiservice-discovery-controller', () => apiServices.areRemoteChecked, SHOWN);
  checks.addHook('kube-apiserver-autoregistration', () => apiServices.areRegistered, SHOWN);
  checks.add('autoregister-completion', () => (apiServices.areRegistered ? undefined : 'APIServices are missing'), {
    ...SHOWN,
    wedged: () => undefined,
  });
  checks.addHook('apiservice-openapi-controller', () => apiServices.areRemoteChecked, SHOWN);
  checks.addHook('apiservice-openapiv3-controller', () => apiServices.areRemoteChecked, SHOWN);
}

const NAMESPACES = 'namespaces';

/** A silent stream leaves the roles stale while the store answers, and then requests get 503. */
export function watchTrouble({
  probe,
  mirrors,
  roles,
}: Pick<Around, 'probe' | 'mirrors' | 'roles'>): string | undefined {
  if (!mirrors.connected) return 'the watch service does not answer';
  return probe.answers && !roles.isFresh ? 'the watch service is seconds behind the store' : undefined;
}
