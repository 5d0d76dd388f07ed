import { opaqueType } from '../types/type.ts';
import { Failure } from '../values/failure.ts';
import { OpaqueValue } from '../values/value.ts';
import { type Overload, overload } from './overload.ts';

/** What is asked of an authorizer: whether somebody may do something. */
export interface AccessQuestion {
  readonly verb: string;
  /** of a service account that stands in for the one who asks */
  readonly serviceAccount?: string;
  readonly path?: string;
  readonly group?: string;
  readonly resource?: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
}

export interface AccessAnswer {
  readonly allowed: boolean;
  readonly reason: string;
}

type Ask = (question: AccessQuestion) => AccessAnswer;

const PREFIX = 'kubernetes.authorization';

/** A question that is being put together, by the type that says what may be added to it. */
export class Authorizer extends OpaqueValue {
  override readonly type;
  readonly ask: Ask;
  readonly question: Omit<AccessQuestion, 'verb'>;

  constructor(ask: Ask, question: Omit<AccessQuestion, 'verb'> = {}, kind = 'Authorizer') {
    super();
    this.ask = ask;
    this.question = question;
    this.type = opaqueType(`${PREFIX}.${kind}`);
  }

  override equals(other: OpaqueValue): boolean {
    return other === this;
  }
}

class Decision extends OpaqueValue {
  override readonly type = opaqueType(`${PREFIX}.Decision`);
  readonly answer: AccessAnswer;

  constructor(answer: AccessAnswer) {
    super();
    this.answer = answer;
  }

  override equals(other: OpaqueValue): boolean {
    return other === this;
  }
}

type Added = [Authorizer, string];

function adding(field: keyof AccessQuestion, kind: string) {
  return ([{ ask, question }, value]: Added) => new Authorizer(ask, { ...question, [field]: value }, kind);
}

const check = ([{ ask, question }, verb]: Added): Decision => new Decision(ask({ ...question, verb }));

const path = ([one, value]: Added): Authorizer => {
  if (value === '') throw new Failure('path must not be empty');
  return adding('path', 'PathCheck')([one, value]);
};

const account = ([{ ask, question }, namespace, name]: [Authorizer, string, string]): Authorizer =>
  new Authorizer(ask, { ...question, serviceAccount: `system:serviceaccount:${namespace}:${name}` });

/** Selectors only ever narrow what is asked; whoever may do it without one may do it with one. */
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
  overload('decision_allowed', `${D}::allowed(): bool`, ([{ answer }]: [Decision]) => answer.allowed),
  overload('decision_reason', `${D}::reason(): string`, ([{ answer }]: [Decision]) => answer.reason),
  overload('decision_errored', `${D}::errored(): bool`, () => false),
  overload('decision_error', `${D}::error(): string`, () => ''),
];
