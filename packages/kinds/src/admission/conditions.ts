import {
  type AccessAnswer,
  type AccessQuestion,
  Authorizer,
  boolShape,
  dynShape,
  Environment,
  fromData,
  listShape,
  mapShape,
  type Outcome,
  objectShape,
  opaqueShape,
  type Program,
  type Shape,
  stringShape,
  type Value,
} from '@tidegate/cel';
import type { Json, JsonObject } from '@tidegate/schema';

const LONG = 1 << 20;
const text = stringShape(LONG);

function objectOf(name: string, fields: Readonly<Record<string, Shape>>): Shape {
  const named = Object.entries(fields).map(([field, shape]) => [field, { name: field, shape }] as const);
  return objectShape(`kubernetes.${name}`, new Map(named));
}

const kindShape = objectOf('GroupVersionKind', { group: text, version: text, kind: text });
const resourceShape = objectOf('GroupVersionResource', { group: text, version: text, resource: text });
const userShape = objectOf('UserInfo', {
  username: text,
  uid: text,
  groups: listShape(text, LONG),
  extra: mapShape(listShape(text, LONG), LONG),
});

/** What a review says of a request, beside its objects. */
const requestShape = objectOf('AdmissionRequest', {
  kind: kindShape,
  resource: resourceShape,
  subResource: text,
  requestKind: kindShape,
  requestResource: resourceShape,
  requestSubResource: text,
  name: text,
  namespace: text,
  operation: text,
  userInfo: userShape,
  dryRun: boolShape,
  options: dynShape,
});

const AUTHORIZER = 'kubernetes.authorization.Authorizer';

const environment = new Environment({
  object: dynShape,
  oldObject: dynShape,
  namespaceObject: dynShape,
  request: requestShape,
  authorizer: opaqueShape(AUTHORIZER),
  'authorizer.requestResource': opaqueShape('kubernetes.authorization.ResourceCheck'),
});

/** Whether a request matters to a webhook, as an expression over it. */
export interface MatchCondition {
  readonly expression: string;
  /** undefined: it cannot be read, which whoever wrote it was told */
  readonly program: Program | undefined;
}

/** The condition, or why it is none. */
export function readCondition(expression: string): MatchCondition | { readonly problem: string } {
  const compiled = environment.compile(expression);
  if (compiled.kind === 'refused') {
    const failed = compiled.stage === 'compilation' ? 'compilation failed' : 'program instantiation failed';
    return { problem: `${failed}: ${compiled.text}` };
  }
  const { kind } = compiled.program.type;
  if (kind !== 'bool' && kind !== 'dyn') return { problem: `must evaluate to bool but got ${kind}` };
  return { expression, program: compiled.program };
}

/** Who may do what. */
export type AskAccess = (question: AccessQuestion) => AccessAnswer;

export type AdmissionVariables = ReadonlyMap<string, Value>;

/** What expressions about a request can look at: the request of a review, and who may do what. */
export function admissionVariables(request: JsonObject, ask: AskAccess): AdmissionVariables {
  const { object = null, oldObject = null, ...rest } = request;
  const { group = '', resource = '' } = request.requestResource as Readonly<Record<string, string>>;
  const said = (name: string) => String(request[name] ?? '');
  const place = { group, resource, subresource: said('subResource'), namespace: said('namespace'), name: said('name') };
  const value = (data: Json): Value => fromData(data, undefined);
  return new Map<string, Value>([
    ['object', value(object)],
    ['oldObject', value(oldObject)],
    ['namespaceObject', value({})],
    ['request', fromData(rest, requestShape)],
    ['authorizer', new Authorizer(ask)],
    ['authorizer.requestResource', new Authorizer(ask, place, 'ResourceCheck')],
  ]);
}

/** What one expression may cost, and all of one webhook together. */
const CALL_LIMIT = 1_000_000;
const BUDGET = 2_500_000;

export type Verdict = { readonly holds: boolean } | { readonly problems: readonly string[] };

/** Whether all hold. One that does not decides it, even where another one fails. */
export function holdAll(conditions: readonly MatchCondition[], variables: AdmissionVariables): Verdict {
  const problems: string[] = [];
  let left = BUDGET;
  for (const { expression, program } of conditions) {
    const outcome = program?.run(variables, Math.min(CALL_LIMIT, left));
    left -= outcome?.cost ?? 0;
    const problem = problemOf(outcome);
    if (problem !== undefined) problems.push(`expression '${expression}' resulted in error: ${problem}`);
    else if (outcome?.kind === 'value' && outcome.value === false) return { holds: false };
  }
  return problems.length > 0 ? { problems } : { holds: true };
}

function problemOf(outcome: Outcome | undefined): string | undefined {
  if (outcome === undefined) return 'it cannot be read';
  if (outcome.kind === 'failed') return outcome.error.message;
  return typeof outcome.value === 'boolean' ? undefined : 'it is neither true nor false';
}
