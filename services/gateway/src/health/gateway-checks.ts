import { API_SERVICES, DEFINITIONS } from '@tidegate/kinds';
import type { Checks } from '@tidegate/service-kit';
import { POLICY_RESOURCES } from '../authz/policy-mirror.ts';
import { FLOW_RESOURCES } from '../limits/flow-mirror.ts';
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
  /** what the store that answers says of the bus */
  readonly busTrouble: () => string | undefined;
}

/** What a gateway says of itself, and of what it leans on as far as it knows. Nobody is called for an answer. */
export function addGatewayChecks(checks: Checks, around: Around): void {
  const { probe, mirrors, admission, hasFlowControl, busTrouble } = around;
  checks.add('postgres', () => probe.postgresTrouble());
  checks.add('nats', busTrouble, { required: false });
  checks.add('store', () => probe.storeTrouble(), { wedged: () => probe.wedged() });
  checks.add('watch', () => watchTrouble(around));

  const areMirrored = (resources: readonly string[]) => resources.every((name) => mirrors.peek(name) !== undefined);
  checks.addHook('rbac/bootstrap-roles', () => areMirrored(POLICY_RESOURCES));
  if (hasFlowControl) checks.addHook('priority-and-fairness-config-consumer', () => areMirrored(FLOW_RESOURCES));
  checks.addHook('crd-informer-synced', () => areMirrored([DEFINITIONS]));
  checks.addHook('start-apiserver-admission-initializer', () => admission.areKnown);
  checks.addHook('apiservice-registration-controller', () => areMirrored([API_SERVICES]));
}

/** A stream may be open and bring nothing: then roles grow old while the store answers, and requests get 503. */
export function watchTrouble({
  probe,
  mirrors,
  roles,
}: Pick<Around, 'probe' | 'mirrors' | 'roles'>): string | undefined {
  if (!mirrors.connected) return 'the watch service does not answer';
  return probe.answers && !roles.isFresh ? 'the watch service is seconds behind the store' : undefined;
}
