import { isDeepStrictEqual } from 'node:util';
import { isJsonObject, type JsonObject } from '@tidegate/schema';
import { metaOf } from '../generic-object.ts';

/** A job finds its pods by its own uid, unless its author wants to select by hand. */
export function selectOwnPods(job: JsonObject): void {
  const spec = job.spec as JsonObject | undefined;
  if (spec === undefined || spec.manualSelector === true || !isJsonObject(spec.template)) return;
  const meta = metaOf(job);
  const { uid = '', name = '' } = meta;
  const template = metaOf(spec.template);
  // labels that came from the template by default stay the same as its own
  const shared = meta.labels === undefined || isDeepStrictEqual(meta.labels, template.labels);
  template.labels = {
    ...template.labels,
    'batch.kubernetes.io/controller-uid': uid,
    'batch.kubernetes.io/job-name': name,
    'controller-uid': uid,
    'job-name': name,
  };
  if (shared) meta.labels = { ...template.labels };
  const selector = (spec.selector ?? {}) as JsonObject;
  const matchLabels = { ...((selector.matchLabels ?? {}) as JsonObject), 'batch.kubernetes.io/controller-uid': uid };
  spec.selector = { ...selector, matchLabels };
}
