import { admissionVariables, type Judgement, judgeByPolicy, metaOf } from '@tidegate/kinds';
import type { Json, JsonObject } from '@tidegate/schema';
import { ApiError, forbiddenObject, type Reason } from '@tidegate/status';
import type { Authorizer } from '../authz/authorizer.ts';
import type { Objects } from '../objects/objects.ts';
import { accessOf, onceDecided } from './access.ts';
import type { Attributes, ReviewedObjects } from './act.ts';
import type { BoundPolicy } from './configurations.ts';
import { isSelected, namespaceObject } from './matcher.ts';
import { type KnownPolicy, Misconfigured, type ParamLookups, type PolicyBinding, paramsOf } from './policies.ts';
import { objectsShown, requestOf } from './review.ts';

/** What policies, and the selectors of webhooks, look at beside the request. */
export interface Lookups extends ParamLookups {
  readonly objects: Pick<Objects, 'namespace' | 'namespaceLabels'>;
  readonly authorizer: Pick<Authorizer, 'known' | 'knownDecision' | 'judge'>;
}

interface Judged {
  readonly ports: Lookups;
  readonly attributes: Attributes;
  readonly objects: ReviewedObjects;
  readonly warnings: string[];
}

interface Objection {
  readonly message: string;
  readonly reason: string;
  /** whatever the binding */
  readonly isOfPolicy?: boolean;
}

/** Holds a request against the policies that are for it. Those that only warn do; the first that denies it is told. */
export async function judgeByPolicies(bound: readonly BoundPolicy[], judged: Judged): Promise<void> {
  const { ports, warnings } = judged;
  let denied: ApiError | undefined;
  const audited = new Audited();
  for (const one of bound) {
    if (!(await isSelected(one.policy.matcher, ports.objects, judged))) continue;
    let known: Promise<Known> | undefined;
    const given = () => (known ??= knownOf(one, judged));
    for (const binding of one.bindings) {
      if (!(await isSelected(binding.matcher, ports.objects, judged))) continue;
      for (const objection of await objectionsOf(one, { binding, judged, given, audited })) {
        const bindingWords = objection.isOfPolicy ? '' : ` with binding '${binding.name}'`;
        const who = `ValidatingAdmissionPolicy '${one.policy.name}'${bindingWords}`;
        if (binding.denies) denied ??= denial(`${who} denied request: ${objection.message}`, objection, judged);
        if (binding.audits) audited.failure(one.policy.name, binding, objection.message);
        if (binding.warns) warnings.push(`Validation failed for ${who}: ${objection.message}`);
      }
    }
  }
  audited.tell(judged.attributes);
  if (denied !== undefined) throw denied;
}

async function objectionsOf(
  { policy }: BoundPolicy,
  {
    binding,
    judged,
    given,
    audited,
  }: { binding: PolicyBinding; judged: Judged; given: () => Promise<Known>; audited: Audited },
): Promise<Objection[]> {
  const { ports, attributes } = judged;
  try {
    const params = await paramsOf(ports, policy, { binding, namespace: attributes.namespace });
    const known = await given();
    const objections: Objection[] = [];
    for (const param of params) {
      const { denials, annotations } = await onceDecided(() => judge(policy, { ...known, param }));
      for (const [key, value] of annotations) audited.annotation(`${policy.name}/${key}`, value);
      objections.push(...denials);
    }
    return objections;
  } catch (error) {
    if (!(error instanceof Misconfigured)) throw error;
    return policy.ignoresFailure ? [] : [{ message: error.message, reason: '', isOfPolicy: error.what === 'policy' }];
  }
}

/** What policies leave in the record of a request. Several that say something under one key are joined. */
class Audited {
  readonly #failures: JsonObject[] = [];
  readonly #annotations = new Map<string, Set<string>>();

  failure(policy: string, { name: binding, denies, warns }: PolicyBinding, message: string): void {
    const validationActions = [...(denies ? ['Deny'] : []), ...(warns ? ['Warn'] : []), 'Audit'];
    this.#failures.push({ message, policy, binding, validationActions });
  }

  annotation(key: string, value: string): void {
    const values = this.#annotations.get(key) ?? new Set();
    this.#annotations.set(key, values.add(value));
  }

  tell({ record }: Attributes): void {
    if (record === undefined) return;
    for (const [key, values] of this.#annotations) record.annotate(key, [...values].join(', '));
    if (this.#failures.length === 0) return;
    record.annotate('validation.policy.admission.k8s.io/validation_failure', JSON.stringify(this.#failures));
  }
}

/** What a policy looks at, whatever puts it to work. */
interface Known {
  readonly request: JsonObject;
  readonly around: Json;
  readonly ask: ReturnType<typeof accessOf>;
}

async function knownOf({ act }: BoundPolicy, { ports, attributes, objects }: Judged): Promise<Known> {
  // expressions may ask what somebody may do, and do not wait
  await ports.authorizer.known();
  const isConverted = attributes.conversions !== undefined;
  const shown = isConverted ? await objectsShown(attributes, act, objects) : objects;
  const request = requestOf(attributes, { act, uid: '', objects: shown });
  return {
    request,
    around: (await namespaceObject(ports.objects, attributes)) ?? {},
    ask: accessOf(ports.authorizer, attributes.user),
  };
}

interface Given extends Known {
  readonly param: JsonObject | null;
}

function judge({ policy, ignoresFailure }: KnownPolicy, { request, param, around, ask }: Given): Judgement {
  const variables = admissionVariables(request, ask, { params: param, namespaceObject: around });
  return judgeByPolicy(policy, variables, ignoresFailure);
}

const CODES: Readonly<Record<string, number>> = {
  Unauthorized: 401,
  Forbidden: 403,
  RequestEntityTooLarge: 413,
};
const INVALID = 422;

function denial(message: string, { reason }: Objection, { attributes, objects }: Judged): ApiError {
  const told = reason === '' ? 'Invalid' : reason;
  const name = attributes.name || (objects.object === undefined ? '' : (metaOf(objects.object).name ?? ''));
  const { status, message: words } = forbiddenObject(attributes.act.kind.entry, name, message);
  return new ApiError(told as Reason, words, {
    code: CODES[told] ?? INVALID,
    details: { ...status.details, causes: [{ message }] },
  });
}
