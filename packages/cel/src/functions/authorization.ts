import { opaqueType } from '../types/type.ts';
import { Failure } from '../values/failure.ts';
import { OpaqueValue } from '../values/value.ts';
import { type Overload, overload } from './overload.ts';

/** The attributes of an authorization check. */
export interface AccessRequest {
  readonly verb: string;
  /** the service account to check instead of the user of the request */
  readonly serviceAccount?: string;
  readonly path?: string;
  readonly group?: string;
  readonly resource?: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
}

export interface AccessDecision {
  readonly allowed: boolean;
  readonly reason: string;
}

type CheckAccess = (request: AccessRequest) => AccessDecision;

const PREFIX = 'kubernetes.authorization';

/** A builder of an authorization check. Its type determines which attributes can be added. */
export class Authorizer extends OpaqueValue {
  override readonly type;
  readonly checkAccess: CheckAccess;
  readonly request: Omit<AccessRequest, 'verb'>;

  constructor(checkAccess: CheckAccess, request: Omit<AccessRequest, 'verb'> = {}, kind = 'Authorizer') {
    super();
    this.checkAccess = checkAccess;
    this.request = request;
    this.type = opaqueType(`${PREFIX}.${kind}`);
  }

  override equals(other: OpaqueValue): boolean {
    return other === this;
  }
}

class Decision extends OpaqueValue {
  override readonly type = opaqueType(`${PREFIX}.Decision`);
  readonly decision: AccessDecision;

  constructor(decision: AccessDecision) {
    super();
    this.decision = decision;
  }

  override equals(other: OpaqueValue): boolean {
    return other === this;
  }
}

type Added = [Authorizer, string];

function adding(field: keyof AccessRequest, kind: string) {
  return ([{ checkAccess, request }, value]: Added) =>
    new Authorizer(checkAccess, { ...request, [field]: value }, kind);
}

const check = ([{ checkAccess, request }, verb]: Added): Decision => new Decision(checkAccess({ ...request, verb }));

const path = ([one, value]: Added): Authorizer => {
  if (value === '') throw new Failure('path must not be empty');
  return adding('path', 'PathCheck')([one, value]);
};

const account = ([{ checkAccess, request }, namespace, name]: [Authorizer, string, string]): Authorizer =>
  new Authorizer(checkAccess, { ...request, serviceAccount: `system:serviceaccount:${namespace}:${name}` });

/** Selectors are ignored: a user who may do something without a selector may also do it with one. */
const selected = ([one]: Added): Authorizer => one;

const R = `${PREFIX}.ResourceCheck`;
const D = `${PREFIX}.Decision`;

export const authorization: readonly Overload[] = [
  overload('authorizer_path', `${PREFIX}.Authorizer::path(string): ${PREFIX}.PathCheck`, path),
  overload(
    'authorizer_group',
    `${PREFIX}.Authorizer::group(string): ${PREFIX}.GroupCheck`,
    adding('group', 'GroupCheck'),
  ),
  overload(
    'authorizer_serviceaccount',
    `${PREFIX}.Authorizer::serviceAccount(string, string): ${PREFIX}.Authorizer`,
    account,
  ),
  overload('groupcheck_resource', `${PREFIX}.GroupCheck::resource(string): ${R}`, adding('resource', 'ResourceCheck')),
  overload('resourcecheck_subresource', `${R}::subresource(string): ${R}`, adding('subresource', 'ResourceCheck')),
  overload('resourcecheck_namespace', `${R}::namespace(string): ${R}`, adding('namespace', 'ResourceCheck')),
  overload('resourcecheck_name', `${R}::name(string): ${R}`, adding('name', 'ResourceCheck')),
  overload('authorizer_fieldselector', `${R}::fieldSelector(string): ${R}`, selected),
  overload('authorizer_labelselector', `${R}::labelSelector(string): ${R}`, selected),
  overload('pathcheck_check', `${PREFIX}.PathCheck::check(string): ${D}`, check),
  overload('resourcecheck_check', `${R}::check(string): ${D}`, check),
  overload('decision_allowed', `${D}::allowed(): bool`, ([{ decision }]: [Decision]) => decision.allowed),
  overload('decision_reason', `${D}::reason(): string`, ([{ decision }]: [Decision]) => decision.reason),
  overload('decision_errored', `${D}::errored(): bool`, () => false),
  overload('decision_error', `${D}::error(): string`, () => ''),
];
