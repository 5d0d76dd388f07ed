import { admissionVariables, evaluatePolicy, metaOf, type PolicyResult } from '@tidegate/kinds';
import type { Json, JsonObject } from '@tidegate/schema';
import { ApiError, forbiddenObject, type Reason } from '@tidegate/status';
import type { Authorizer } from '../authz/authorizer.ts';
import type { Objects } from '../objects/objects.ts';
import { accessOf, evaluateWithAccess } from './access.ts';
import type { Attributes, ReviewedObjects } from './attributes.ts';
import type { BoundPolicy } from './configurations.ts';
import { isSelected, namespaceObject } from './matcher.ts';
import { type LoadedPolicy, Misconfigured, type ParamLookups, type PolicyBinding, paramsOf } from './policies.ts';
import { objectsShown, requestOf } from './review.ts';

/** What policies and the selectors of webhooks look up. */
export interface Lookups extends ParamLookups {
  readonly objects: Pick<Objects, 'namespace' | 'namespaceLabels'>;
  readonly authorizer: Pick<Authorizer, 'known' | 'knownDecision' | 'decide'>;
}

interface PolicyContext {
  readonly ports: Lookups;
  readonly attributes: Attributes;
  readonly objects: ReviewedObjects;
  readonly warnings: string[];
}

interface Violation {
  readonly message: string;
  readonly reason: string;
  /** the policy itself is misconfigured: the message names no binding */
  readonly isOfPolicy?: boolean;
}

/** Evaluates the matching policies. Warnings are added first; then the first denial, if any, is thrown. */
export async function evaluatePolicies(bound: readonly BoundPolicy[], context: PolicyContext): Promise<void> {
  const { ports, warnings } = context;
  let denied: ApiError | undefined;
  const annotations = new PolicyAnnotations();
  for (const one of bound) {
    if (!(await isSelected(one.policy.matcher, ports.objects, context))) continue;
    let input: Promise<PolicyInput> | undefined;
    const sharedInput = () => (input ??= inputFor(one, context));
    for (const binding of one.bindings) {
      if (!(await isSelected(binding.matcher, ports.objects, context))) continue;
      for (const violation of await violationsOf(one, { binding, context, sharedInput, annotations })) {
        const suffix = violation.isOfPolicy ? '' : ` with binding '${binding.name}'`;
        const who = `ValidatingAdmissionPolicy '${one.policy.name}'${suffix}`;
        if (binding.denies) denied ??= denial(`${who} denied request: ${violation.message}`, violation, context);
        if (binding.audits) annotations.addFailure(one.policy.name, binding, violation.message);
        if (binding.warns) warnings.push(`Validation failed for ${who}: ${violation.message}`);
      }
    }
  }
  annotations.writeTo(context.attributes);
  if (denied !== undefined) throw denied;
}

async function violationsOf(
  { policy }: BoundPolicy,
  {
    binding,
    context,
    sharedInput,
    annotations,
  }: {
    binding: PolicyBinding;
    context: PolicyContext;
    sharedInput: () => Promise<PolicyInput>;
    annotations: PolicyAnnotations;
  },
): Promise<Violation[]> {
  const { ports, attributes } = context;
  try {
    const params = await paramsOf(ports, policy, { binding, namespace: attributes.namespace });
    const input = await sharedInput();
    const violations: Violation[] = [];
    for (const param of params) {
      const { denials, annotations: added } = await evaluateWithAccess(() => evaluate(policy, { ...input, param }));
      for (const [key, value] of added) annotations.add(`${policy.name}/${key}`, value);
      violations.push(...denials);
    }
    return violations;
  } catch (error) {
    if (!(error instanceof Misconfigured)) throw error;
    return policy.ignoresFailure ? [] : [{ message: error.message, reason: '', isOfPolicy: error.what === 'policy' }];
  }
}

/** Collects the audit annotations of policies. Several values under one key are joined. */
class PolicyAnnotations {
  readonly #failures: JsonObject[] = [];
  readonly #annotations = new Map<string, Set<string>>();

  addFailure(policy: string, { name: binding, denies, warns }: PolicyBinding, message: string): void {
    const validationActions = [...(denies ? ['Deny'] : []), ...(warns ? ['Warn'] : []), 'Audit'];
    this.#failures.push({ message, policy, binding, validationActions });
  }

  add(key: string, value: string): void {
    const values = this.#annotations.get(key) ?? new Set();
    this.#annotations.set(key, values.add(value));
  }

  writeTo({ record }: Attributes): void {
    if (record === undefined) return;
    for (const [key, values] of this.#annotations) record.annotate(key, [...values].join(', '));
    if (this.#failures.length === 0) return;
    record.annotate('validation.policy.admission.k8s.io/validation_failure', JSON.stringify(this.#failures));
  }
}

/** The input of a policy, the same for all its bindings. */
interface PolicyInput {
  readonly request: JsonObject;
  readonly namespaceObject: Json;
  readonly access: ReturnType<typeof accessOf>;
}

async function inputFor({ target }: BoundPolicy, { ports, attributes, objects }: PolicyContext): Promise<PolicyInput> {
  // expressions may check authorization, and evaluate synchronously
  await ports.authorizer.known();
  const isConverted = attributes.conversions !== undefined;
  const shown = isConverted ? await objectsShown(attributes, target, objects) : objects;
  const request = requestOf(attributes, { target, uid: '', objects: shown });
  return {
    request,
    namespaceObject: (await namespaceObject(ports.objects, attributes)) ?? {},
    access: accessOf(ports.authorizer, attributes.user),
  };
}

interface EvaluationInput extends PolicyInput {
  readonly param: JsonObject | null;
}

function evaluate(
  { policy, ignoresFailure }: LoadedPolicy,
  { request, param, namespaceObject, access }: EvaluationInput,
): PolicyResult {
  const variables = admissionVariables(request, access, { params: param, namespaceObject });
  return evaluatePolicy(policy, variables, ignoresFailure);
}

const CODES: Readonly<Record<string, number>> = {
  Unauthorized: 401,
  Forbidden: 403,
  RequestEntityTooLarge: 413,
};
const INVALID = 422;

function denial(message: string, { reason }: Violation, { attributes, objects }: PolicyContext): ApiError {
  const effective = reason === '' ? 'Invalid' : reason;
  const name = attributes.name || (objects.object === undefined ? '' : (metaOf(objects.object).name ?? ''));
  const { status, message: words } = forbiddenObject(attributes.target.kind.entry, name, message);
  return new ApiError(effective as Reason, words, {
    code: CODES[effective] ?? INVALID,
    details: { ...status.details, causes: [{ message }] },
  });
}
