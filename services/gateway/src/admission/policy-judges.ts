import { admissionVariables, judgeByPolicy } from '@tidegate/kinds';
import type { Json, JsonObject } from '@tidegate/schema';
import { ApiError, type Reason } from '@tidegate/status';
import type { Gateway } from '../gateway.ts';
import { accessOf } from './access.ts';
import type { BoundPolicy } from './configurations.ts';
import { isSelected } from './matcher.ts';
import { namespaceObject } from './namespace-labels.ts';
import type { KnownPolicy, PolicyBinding } from './policies.ts';
import { Misconfigured, paramsOf } from './policy-params.ts';
import { type Attributes, type Objects, requestOf } from './review.ts';

interface Judged {
  readonly gateway: Gateway;
  readonly attributes: Attributes;
  readonly objects: Objects;
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
  const { gateway, warnings } = judged;
  let denied: ApiError | undefined;
  for (const one of bound) {
    if (!(await isSelected(one.policy.matcher, gateway, judged))) continue;
    for (const binding of one.bindings) {
      if (!(await isSelected(binding.matcher, gateway, judged))) continue;
      for (const objection of await objectionsOf(one, binding, judged)) {
        const bindingWords = objection.isOfPolicy ? '' : ` with binding '${binding.name}'`;
        const who = `ValidatingAdmissionPolicy '${one.policy.name}'${bindingWords}`;
        if (binding.denies) denied ??= denial(`${who} denied request: ${objection.message}`, objection, judged);
        if (binding.warns) warnings.push(`Validation failed for ${who}: ${objection.message}`);
      }
    }
  }
  if (denied !== undefined) throw denied;
}

async function objectionsOf(
  { policy, act }: BoundPolicy,
  binding: PolicyBinding,
  { gateway, attributes, objects }: Judged,
): Promise<Objection[]> {
  const { namespace, user } = attributes;
  try {
    const params = await paramsOf(gateway, policy, { binding, namespace });
    const request = requestOf(attributes, { act, uid: '', objects });
    const around = (await namespaceObject(gateway, attributes)) ?? {};
    return params.flatMap((param) => judge(policy, { request, param, around, ask: accessOf(user) }));
  } catch (error) {
    if (!(error instanceof Misconfigured)) throw error;
    return policy.ignoresFailure ? [] : [{ message: error.message, reason: '', isOfPolicy: error.what === 'policy' }];
  }
}

interface Given {
  readonly request: JsonObject;
  readonly param: JsonObject | null;
  readonly around: Json;
  readonly ask: ReturnType<typeof accessOf>;
}

function judge({ policy, ignoresFailure }: KnownPolicy, { request, param, around, ask }: Given): Objection[] {
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
  const { entry } = attributes.act.kind;
  const told = reason === '' ? 'Invalid' : reason;
  const name = attributes.name || String((objects.object?.metadata as JsonObject | undefined)?.name ?? '');
  const resource = entry.group === '' ? entry.resource : `${entry.resource}.${entry.group}`;
  return new ApiError(told as Reason, `${resource} ${JSON.stringify(name)} is forbidden: ${message}`, {
    code: CODES[told] ?? INVALID,
    details: {
      ...(name === '' ? {} : { name }),
      ...(entry.group === '' ? {} : { group: entry.group }),
      kind: entry.resource,
      causes: [{ message }],
    },
  });
}
