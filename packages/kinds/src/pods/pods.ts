import type { JsonObject } from '@tidegate/schema';
import type { FieldError } from '@tidegate/status';
import { containerChecks } from '../containers/container.ts';
import type { ByResource, Family, QuotaUsage } from '../family.ts';
import type { KindRules } from '../kind-entry.ts';
import { textFields, valueAt } from '../rules/fields.ts';
import { Place } from '../rules/place.ts';
import type { UpdateChecks } from '../rules/type-rules.ts';
import { volumeChecks } from '../volumes/volumes.ts';
import { columns } from './columns.ts';
import { defaults } from './defaults.ts';
import { keepOtherParts, validatePodParts } from './parts.ts';
import { qualityOfService } from './quality-of-service.ts';
import { schedulingChecks } from './scheduling.ts';
import { podUpdate } from './updates.ts';
import { podUsage } from './usage.ts';
import { podChecks } from './validation.ts';
import { warnings } from './warnings.ts';

function firstPodIp(pod: JsonObject): string {
  const ips = valueAt(pod, 'status.podIPs');
  return Array.isArray(ips) ? String((ips[0] as JsonObject | undefined)?.ip ?? '') : '';
}

/** The grace period of a pod; zero when the pod is not scheduled or has ended. */
function graceOfPod({ spec, status }: JsonObject, requested: number | undefined): number {
  const { nodeName, terminationGracePeriodSeconds = 0 } = (spec ?? {}) as JsonObject;
  const { phase } = (status ?? {}) as JsonObject;
  if (!nodeName || phase === 'Failed' || phase === 'Succeeded') return 0;
  return requested ?? Number(terminationGracePeriodSeconds);
}

/** Ephemeral containers can only be added to an existing pod, by their own subresource. */
function withoutEphemeralContainers(pod: JsonObject): FieldError[] {
  const errors: FieldError[] = [];
  const list = new Place(undefined, '', pod, errors).field('spec.ephemeralContainers');
  if (!list.isEmpty) list.forbidden('cannot be set on create');
  return errors;
}

const rules: ByResource<KindRules> = {
  pods: {
    validateCreate: withoutEphemeralContainers,
    deleteReturnsObject: true,
    graceSeconds: graceOfPod,
    generationPaths: ['spec'],
    resetFields: { status: [['spec'], ['metadata', 'deletionTimestamp'], ['metadata', 'ownerReferences']] },
    selectableFields: {
      ...textFields({
        'spec.nodeName': '',
        'spec.restartPolicy': '',
        'spec.schedulerName': '',
        'spec.serviceAccountName': '',
        'spec.hostNetwork': 'false',
        'status.phase': '',
        'status.nominatedNodeName': '',
      }),
      'status.podIP': firstPodIp,
      'status.podIPs': firstPodIp,
    },
    prepareCreate: (pod) => {
      pod.status = { phase: 'Pending', qosClass: qualityOfService(pod) };
    },
    prepareUpdate: keepOtherParts,
    validateUpdate: validatePodParts,
  },
};

const updates: ByResource<UpdateChecks> = {
  pods: { '': podUpdate },
};

const usage: ByResource<QuotaUsage> = { pods: podUsage };

const dropped = {
  'core.v1.PodSpec': ['workloadRef'],
  'core.v1.Lifecycle': ['stopSignal'],
  'core.v1.VolumeProjection': ['clusterTrustBundle', 'podCertificate'],
};

export const pods: Family = {
  rules,
  defaults,
  dropped,
  columns,
  updates,
  warnings,
  usage,
  types: { ...containerChecks, ...volumeChecks, ...schedulingChecks, ...podChecks },
};
