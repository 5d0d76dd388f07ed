import type { JsonObject } from '@tidegate/schema';
import { standardFinalizerProblems } from '../objects/metadata.ts';
import { labelKeyProblems, labelProblems, labelValueProblems } from '../objects/names.ts';
import { amounts, requestsWithinLimits } from '../rules/amount-checks.ts';
import { evenEmpty, isNetwork, labels, NETWORK, notNegative, sameValue, textOf } from '../rules/checks.ts';
import type { Place } from '../rules/place.ts';
import type { Check, RuleTable } from '../rules/type-rules.ts';

const moreThanNothing: Check = (place) => {
  if (Number(place.value) <= 0) place.invalid('must be greater than 0');
};

const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

/** Checks the taints; Kubernetes reports them below metadata. */
const taints: Check = (spec) => {
  const list = spec.up(1).as('metadata', null).as('taints', spec.object.taints);
  const seen = new Set<string>();
  for (const taint of list.items()) {
    const key = taint.field('key');
    const effect = taint.field('effect');
    key.invalidFor(labelKeyProblems(key.text), key.text);
    if (effect.text === '') effect.required();
    else if (!EFFECTS.includes(effect.text)) effect.unsupported(EFFECTS);
    taint.field('value').invalidFor(labelValueProblems(taint.field('value').text));
    const pair = `${key.text}:${effect.text}`;
    if (seen.has(pair)) taint.duplicate(taint.value, 'taints must be unique by key and effect pair');
    seen.add(pair);
  }
};

const podNetworks: Check = (spec) => {
  const list = spec.field('podCIDRs');
  for (const one of list.items()) if (!isNetwork(one.text)) one.invalid(NETWORK);
  if (list.list.length < 2) return;
  const families = new Set(list.list.map((one) => String(one).includes(':')));
  if (list.list.length > 2 || families.size < 2) list.invalid('may specify no more than one CIDR for each IP family');
};

export function nodeUpdate(object: Place, old: Place): void {
  const [now, before] = [object.field('spec'), old.field('spec')];
  if (!sameValue(now.object.externalID, before.object.externalID))
    now.field('externalID').forbidden('may not be updated');
  if (!before.field('podCIDRs').isEmpty && !sameValue(now.object.podCIDRs, before.object.podCIDRs)) {
    now.field('podCIDRs').forbidden('node updates may not change podCIDR except from "" to valid');
  }
  if (!before.field('providerID').isEmpty && now.object.providerID !== before.object.providerID) {
    now.field('providerID').forbidden('node updates may not change providerID except from "" to valid');
  }
}

const namespaceFinalizers: Check = (place) => {
  for (const finalizer of place.list.map(String)) {
    place.invalidFor(labelKeyProblems(finalizer), finalizer);
    place.invalidFor(standardFinalizerProblems(finalizer), finalizer);
  }
};

const overhead: Check = (place) => {
  const limits = { limits: place.object.podFixed ?? {} } as JsonObject;
  const spoken = place.up(1).as('overhead', limits);
  amounts('containers')(spoken.field('limits'));
  requestsWithinLimits(spoken);
};

const differentTolerations: Check = (place) => {
  const seen = new Set<string>();
  for (const one of place.items()) {
    const text = textOf(one.value);
    if (seen.has(text)) one.duplicate();
    seen.add(text);
  }
};

export const clusterChecks: RuleTable = {
  'coordination.v1.LeaseSpec': { leaseDurationSeconds: moreThanNothing, leaseTransitions: notNegative },
  'core.v1.NodeSpec': { '': [taints, podNetworks] },
  'core.v1.NamespaceSpec': { finalizers: namespaceFinalizers },
  'node.v1.RuntimeClass': { handler: evenEmpty(labelProblems) },
  'node.v1.Overhead': { '': overhead },
  'node.v1.Scheduling': { nodeSelector: labels, tolerations: differentTolerations },
};
