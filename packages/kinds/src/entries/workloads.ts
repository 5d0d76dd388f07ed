import type { KindRules } from '../kind-entry.ts';
import { newEventErrors } from '../validation/create.ts';
import { autoscalerConversion } from './autoscaler-conversion.ts';
import { countTemplates, firstTemplate } from './daemon-template.ts';
import { eventConversion, eventFieldNames } from './event-conversion.ts';
import { textFields, valueAt } from './fields.ts';
import { selectOwnPods } from './job-selector.ts';

/** apps, batch, autoscaling, policy, and the second group of events. */
export const workloadRules: Readonly<Record<string, KindRules>> = {
  'daemonsets.apps': { counts: ['spec'], prepareCreate: firstTemplate, prepareUpdate: countTemplates },
  // annotations are copied to the replica sets, so that a change of them is one of the deployment
  'deployments.apps': { counts: ['spec', 'metadata.annotations'] },
  'replicasets.apps': { counts: ['spec'], selectableFields: textFields({ 'status.replicas': '0' }) },
  'statefulsets.apps': { name: 'label', counts: ['spec'] },
  'cronjobs.batch': { counts: ['spec'] },
  'jobs.batch': {
    counts: ['spec'],
    prepareCreate: selectOwnPods,
    orphansByDefault: {
      warning:
        'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning',
    },
    selectableFields: { 'status.successful': (job) => String(valueAt(job, 'status.succeeded') ?? 0) },
  },
  'horizontalpodautoscalers.v1.autoscaling': { conversion: autoscalerConversion },
  'poddisruptionbudgets.policy': { name: 'path-segment', counts: ['spec'], conditionalUpdate: true },
  'events.events.k8s.io': {
    name: 'path-segment',
    lifetimeSeconds: 3600,
    validateCreate: newEventErrors,
    conversion: eventConversion,
    selectableAs: eventFieldNames,
  },
};
