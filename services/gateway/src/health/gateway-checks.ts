import { API_SERVICES, DEFINITIONS } from '@tidegate/kinds';
import type { Checks } from '@tidegate/service-kit';
import { POLICY_RESOURCES } from '../authz/policy-mirror.ts';
import { FLOW_RESOURCES } from '../flow/flow-mirror.ts';
import type { Mirrors } from '../mirror/mirrors.ts';
import type { StoreProbe } from './store-probe.ts';

interface Around {
  readonly probe: StoreProbe;
  readonly mirrors: Pick<Mirrors, 'peek' | 'connected'>;
  /** webhooks and policies are known */
  readonly admission: { readonly areKnown: boolean };
  /** roles are known as they were less than five seconds ago */
  readonly roles: { readonly isFresh: boolean };
  readonly hasFlowControl: boolean;
  /** the kinds of definitions, and who serves which group, are known */
  readonly customKinds: { readonly areKnown: boolean };
  readonly apiServices: {
    readonly isKnown: boolean;
    readonly areRegistered: boolean;
    readonly areLocalAvailable: boolean;
    readonly areRemoteJudged: boolean;
  };
  readonly firstObjects: { areThere(hook: string): boolean };
  /** what the store that answers says of the bus */
  readonly busTrouble: () => string | undefined;
}

/** What a gateway says of itself, and of what it leans on as far as it knows. Nobody is called for an answer. */
export function addGatewayChecks(checks: Checks, around: Around): void {
  const { probe, busTrouble } = around;
  const storageTrouble = () => probe.storeTrouble() ?? probe.postgresTrouble();
  // what Kubernetes' probes know the storage by: excluded with it are the parts that it consists of here
  checks.add('etcd', storageTrouble, { wedged: () => probe.wedged() });
  checks.add('etcd-readiness', storageTrouble, { group: STORAGE, ofReadiness: true });
  checks.add('postgres', () => probe.postgresTrouble(), { group: STORAGE });
  checks.add('nats', busTrouble, { required: false });
  checks.add('store', () => probe.storeTrouble(), { group: STORAGE, wedged: () => probe.wedged() });
  checks.add('watch', () => watchTrouble(around));
  addHooks(checks, around);
}

const STORAGE = 'etcd';
/** what controllers do through a gateway must not keep gateways from being asked for it */
const SHOWN = { required: false };

/** The pieces of the start, in kube-apiserver's order and by its names, where there is a piece for the name here. */
function addHooks(checks: Checks, around: Around): void {
  const { mirrors, admission, hasFlowControl, customKinds, apiServices, firstObjects } = around;
  const addFirst = (hook: string) => checks.addHook(hook, () => firstObjects.areThere(hook), SHOWN);
  const areMirrored = (resources: readonly string[]) => resources.every((name) => mirrors.peek(name) !== undefined);
  const areInformed = () =>
    areMirrored([...POLICY_RESOURCES, DEFINITIONS, API_SERVICES, NAMESPACES]) && admission.areKnown;
  checks.add('informer-sync', () => (areInformed() ? undefined : 'collections are still being read'), {
    ofReadiness: true,
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
  checks.addHook('apiservice-status-remote-available-controller', () => apiServices.areRemoteJudged, SHOWN);
  checks.addHook('apiservice-registration-controller', () => apiServices.isKnown);
  checks.addHook('apiservice-discovery-controller', () => apiServices.areRemoteJudged, SHOWN);
  checks.addHook('kube-apiserver-autoregistration', () => apiServices.areRegistered, SHOWN);
  checks.add('autoregister-completion', () => (apiServices.areRegistered ? undefined : 'APIServices are missing'), {
    ...SHOWN,
    wedged: () => undefined,
  });
  checks.addHook('apiservice-openapi-controller', () => apiServices.areRemoteJudged, SHOWN);
  checks.addHook('apiservice-openapiv3-controller', () => apiServices.areRemoteJudged, SHOWN);
}

const NAMESPACES = 'namespaces';

/** A stream may be open and bring nothing: then roles grow old while the store answers, and requests get 503. */
export function watchTrouble({
  probe,
  mirrors,
  roles,
}: Pick<Around, 'probe' | 'mirrors' | 'roles'>): string | undefined {
  if (!mirrors.connected) return 'the watch service does not answer';
  return probe.answers && !roles.isFresh ? 'the watch service is seconds behind the store' : undefined;
}
