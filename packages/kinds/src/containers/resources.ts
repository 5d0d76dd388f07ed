import { labelProblems, subdomainProblems } from '../objects/names.ts';
import { amountOf, amounts, requestsWithinLimits } from '../rules/amount-checks.ts';
import { named } from '../rules/checks.ts';
import { once, type Place } from '../rules/place.ts';
import type { Check, RuleTable } from '../rules/type-rules.ts';

const RESIZED = ['cpu', 'memory'];
const RESTARTS = ['NotRequired', 'RestartContainer'];

/** Checks the resize policies; Kubernetes reports most errors for the list, without the index. */
export const resizes: Check = (list) => {
  const spec = list.up(3);
  const seen = new Set<string>();
  for (const policy of list.items()) {
    const [resource, restart] = [policy.field('resourceName').text, policy.field('restartPolicy').text];
    if (seen.has(resource)) policy.duplicate(resource);
    seen.add(resource);
    if (resource === '') list.required();
    else if (!RESIZED.includes(resource)) list.unsupported(RESIZED, resource);
    if (restart === '') list.required();
    else if (!RESTARTS.includes(restart)) list.unsupported(RESTARTS, restart);
    if (spec.object.restartPolicy === 'Never' && restart !== 'NotRequired') {
      list.invalid("must be 'NotRequired' when `restartPolicy` is 'Never'", restart);
    }
  }
};

/** Checks that the claims of a container are claims of its pod. */
export function claimsOf(resources: Place, spec: Place): void {
  const { all, known } = claimNames(spec);
  const seen = new Set<string>();
  /** the claims of which single requests are used */
  const parts = new Set<string>();
  for (const claim of resources.field('claims').items()) {
    const [name, request] = [claim.field('name').text, claim.field('request')];
    if (name === '') claim.required();
    else if (seen.has(name)) claim.duplicate(name);
    else {
      if (request.text !== '') request.invalidFor(labelProblems(request.text));
      const key = request.text === '' ? name : `${name}/${request.text}`;
      const overlaps = request.text === '' && parts.has(name);
      if (seen.has(key) || overlaps) claim.duplicate(key);
      seen.add(key);
      if (request.text !== '') parts.add(name);
    }
    if (!known.has(name)) unknownClaim(claim, name, all);
  }
}

const claimNames = once((spec) => {
  const claims = spec.field('resourceClaims').items();
  const all = claims.map((claim) => claim.field('name').text).filter(Boolean);
  return { all, known: new Set(all) };
});

function unknownClaim(claim: Place, name: string, names: readonly string[]): void {
  if (name === '') return;
  claim.addError(() => {
    const known = names.length === 0 ? ' which is empty' : `: ${names.join(', ')}`;
    const message = `Not found: ${JSON.stringify(name)}: must be one of the names in pod.spec.resourceClaims${known}`;
    return { field: claim.path, type: 'FieldValueNotFound', message };
  });
}

export const resourceClaims: Check = (list) => {
  const seen = new Set<string>();
  for (const claim of list.items()) {
    const name = claim.field('name');
    if (name.text === '') name.required();
    else if (seen.has(name.text)) name.duplicate();
    else name.invalidFor(labelProblems(name.text));
    seen.add(name.text);
    const [own, template] = [claim.has('resourceClaimName'), claim.has('resourceClaimTemplateName')];
    if (own && template) {
      claim.invalid('at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified');
    }
    if (!own && !template) claim.invalid('must specify one of: `resourceClaimName`, `resourceClaimTemplateName`');
  }
};

/** The requests of a pod must not be below the sum of its containers. */
export function checkPodResources(spec: Place): void {
  const resources = spec.field('resources');
  if (resources.value === undefined) return;
  if (spec.field('os.name').text === 'windows') {
    resources.forbidden('may not be set for a windows pod');
    return;
  }
  if (resources.has('claims')) resources.field('claims').forbidden('claims may not be set for Resources at pod-level');
  claimsOf(resources, spec);
  requestsWithinLimits(resources);
  const limits = resources.field('limits').object;
  for (const container of spec.field('containers').items()) {
    for (const [name, limit] of Object.entries(container.field('resources.limits').object)) {
      const most = limits[name];
      if (most === undefined || amountOf(limit) <= amountOf(most)) continue;
      const place = resources.as('containers', spec.object.containers).item(Number(container.step));
      place.addError(() => ({
        field: `${place.path}[${name}].limits`,
        type: 'FieldValueInvalid',
        message: `Invalid value: ${JSON.stringify(limit)}: must be less than or equal to pod limits of ${most}`,
      }));
    }
  }
}

const ofPods = amounts('pods');
const ofContainers = amounts('containers');
/** A pod can have fewer resources than its containers. */
const resourceNames: Check = (place) => (place.up(2).step === 'spec' ? ofPods : ofContainers)(place);

export const resourceChecks: RuleTable = {
  'core.v1.ResourceRequirements': {
    limits: resourceNames,
    requests: resourceNames,
  },
  'core.v1.PodResourceClaim': {
    resourceClaimName: named(subdomainProblems),
    resourceClaimTemplateName: named(subdomainProblems),
  },
};
