import {
  type AccessDecision,
  type AccessRequest,
  Authorizer,
  boolShape,
  dynShape,
  Environment,
  fromData,
  type Lazy,
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

/** The request of a review, without its objects. */
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

const objects = { object: dynShape, oldObject: dynShape, namespaceObject: dynShape, request: requestShape };
const access = {
  authorizer: opaqueShape('kubernetes.authorization.Authorizer'),
  'authorizer.requestResource': opaqueShape('kubernetes.authorization.ResourceCheck'),
};

interface Names {
  /** whether expressions can use the parameters of a policy */
  readonly hasParams?: boolean;
  /** whether expressions can use the authorizer */
  readonly hasAccess?: boolean;
  /** the variables of the policy, with their types */
  readonly variables?: Readonly<Record<string, Shape>>;
}

/** The variables of expressions about a request. */
export function admissionEnvironment({ hasParams = false, hasAccess = true, variables = {} }: Names = {}): Environment {
  return new Environment({
    ...objects,
    ...(hasAccess ? access : {}),
    ...(hasParams ? { params: dynShape } : {}),
    ...variables,
  });
}

/** The names of types in errors, when they differ from those in expressions. */
const NAMES: Readonly<Record<string, string>> = { null: 'null_type' };

/** Compiles an expression, or returns the reason why it is invalid. */
export function readExpression(
  environment: Environment,
  source: string,
  wanted: readonly string[],
): { readonly program: Program } | { readonly problem: string } {
  const compiled = environment.compile(source);
  if (compiled.kind === 'rejected') {
    const failed = compiled.stage === 'compilation' ? 'compilation failed' : 'program instantiation failed';
    return { problem: `${failed}: ${compiled.text}` };
  }
  const { kind } = compiled.program.type;
  if (wanted.length === 0 || wanted.includes(kind)) return { program: compiled.program };
  const [only = '', ...more] = wanted.map((one) => NAMES[one] ?? one);
  const names = more.length === 0 ? only : `one of [${[only, ...more].join(' ')}]`;
  return { problem: `must evaluate to ${names} but got ${NAMES[kind] ?? kind}` };
}

/** Checks access with the authorizer. */
export type CheckAccess = (request: AccessRequest) => AccessDecision;

export type AdmissionVariables = ReadonlyMap<string, Value | Lazy>;

/** The request of a review and the authorizer, as values of expressions. */
export function admissionVariables(
  request: JsonObject,
  checkAccess: CheckAccess,
  { namespaceObject = {}, params = null }: { namespaceObject?: Json; params?: Json } = {},
): AdmissionVariables {
  const { object = null, oldObject = null, ...rest } = request;
  const { group = '', resource = '' } = request.requestResource as Readonly<Record<string, string>>;
  const textIn = (name: string) => String(request[name] ?? '');
  const place = {
    group,
    resource,
    subresource: textIn('subResource'),
    namespace: textIn('namespace'),
    name: textIn('name'),
  };
  const value = (data: Json): Value => fromData(data, undefined);
  return new Map<string, Value>([
    ['object', value(object)],
    ['oldObject', value(oldObject)],
    ['namespaceObject', value(namespaceObject)],
    ['params', value(params)],
    ['request', fromData(rest, requestShape)],
    ['authorizer', new Authorizer(checkAccess)],
    ['authorizer.requestResource', new Authorizer(checkAccess, place, 'ResourceCheck')],
  ]);
}

/** The cost limit of one expression. */
const CALL_LIMIT = 1_000_000;

/** The cost limit of all expressions about one request. */
export class Budget {
  left: number;

  constructor(left: number) {
    this.left = left;
  }

  run(program: Program, variables: AdmissionVariables): Outcome {
    const outcome = program.run(variables, Math.min(CALL_LIMIT, this.left));
    this.left -= outcome.cost;
    return outcome;
  }
}
