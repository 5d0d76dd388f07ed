import type { Environment, Program } from '@tidegate/cel';
import { duplicateValue, type FieldError, invalidValue, requiredValue } from '@tidegate/status';
import type { ClaimRuleEntry, JwtEntry, MappingEntry, MappingsEntry } from './issuer-form.ts';
import {
  type ClaimRules,
  type Condition,
  claimsEnvironment,
  type Source,
  userEnvironment,
} from './user-from-claims.ts';

const BOTH = "claim and expression can't both be set";
const NEITHER = 'claim or expression is required';
const UNVERIFIED =
  'claims.email_verified must be used in claimMappings.username.expression or claimMappings.extra[*].valueExpression or claimValidationRules[*].expression when claims.email is used in claimMappings.username.expression';
const DOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const NO_DOMAIN =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const RESERVED = /(^|\.)(k8s|kubernetes)\.io$/;

/** Reads the claim rules of an issuer, and collects their mistakes in kube-apiserver's words. */
export class ClaimRulesReader {
  readonly #at: string;
  readonly mistakes: FieldError[] = [];

  constructor(at: string) {
    this.#at = at;
  }

  read({ claimValidationRules = [], claimMappings = {}, userValidationRules = [] }: JwtEntry): ClaimRules {
    const at = `${this.#at}.claimValidationRules`;
    claimValidationRules.forEach((rule, i) => {
      this.#checkRule(rule, { at: `${at}[${i}]`, before: claimValidationRules.slice(0, i) });
    });
    const said = claimValidationRules.filter(({ claim = '' }) => claim !== '');
    const required = new Map(said.map(({ claim = '', requiredValue: value = '' }) => [claim, value]));
    const claimConditions = this.#conditions(claimsEnvironment, claimValidationRules, at);
    const mapped = this.#mapped(claimMappings);
    this.#requireVerifiedEmail(claimMappings, mapped, claimConditions);
    const userAt = `${this.#at}.userValidationRules`;
    userValidationRules.forEach(({ expression = '' }, i) => {
      if (expression === '') this.mistakes.push(requiredValue(`${userAt}[${i}].expression`));
    });
    const userConditions = this.#conditions(userEnvironment, userValidationRules, userAt);
    return { ...mapped, required, claimConditions, userConditions };
  }

  #checkRule(rule: ClaimRuleEntry, { at, before }: { at: string; before: readonly ClaimRuleEntry[] }): void {
    const { claim = '', expression = '', message = '', requiredValue: value = '' } = rule;
    if (claim !== '' && expression !== '') this.mistakes.push(invalidValue(at, claim, BOTH));
    else if (claim === '' && expression === '') this.mistakes.push(requiredValue(at, NEITHER));
    else if (claim !== '') {
      if (message !== '') {
        this.mistakes.push(invalidValue(`${at}.message`, message, 'may not be specified when claim is set'));
      }
      if (before.some((one) => one.claim === claim && !one.expression))
        this.mistakes.push(duplicateValue(`${at}.claim`, claim));
    } else if (value !== '') {
      const why = 'may not be specified when expression is set';
      this.mistakes.push(invalidValue(`${at}.requiredValue`, value, why));
    }
  }

  #conditions(
    environment: Environment,
    rules: ReadonlyArray<{ readonly claim?: string; readonly expression?: string; readonly message?: string }>,
    at: string,
  ): Condition[] {
    const seen = new Set<string>();
    return rules.flatMap(({ claim = '', expression = '', message = '' }, i) => {
      const field = `${at}[${i}].expression`;
      if (expression === '' || claim !== '') return [];
      if (seen.has(expression)) {
        this.mistakes.push(duplicateValue(field, expression));
        return [];
      }
      seen.add(expression);
      const program = this.#compiled(environment, expression, field);
      if (program === undefined) return [];
      if (program.type.kind !== 'bool') this.mistakes.push(invalidValue(field, expression, 'must evaluate to bool'));
      return [{ program, expression, message }];
    });
  }

  #mapped({ username, groups, uid, extra = [] }: MappingsEntry) {
    const at = `${this.#at}.claimMappings`;
    const name = this.#source(username ?? {}, `${at}.username`);
    if (isEmptyMapping(username)) this.mistakes.push(requiredValue(`${at}.username`, NEITHER));
    const seen = new Set<string>();
    return {
      // a missing username was already reported, and then these rules are not used
      username: name ?? { claim: '', prefix: '' },
      groups: this.#source(groups ?? {}, `${at}.groups`),
      uid: this.#source({ prefix: '', ...uid }, `${at}.uid`),
      extra: extra.flatMap((mapping, i) => {
        const field = `${at}.extra[${i}]`;
        const { key = '', valueExpression = '' } = mapping;
        this.#checkKey(key, `${field}.key`);
        if (seen.has(key)) this.mistakes.push(duplicateValue(`${field}.key`, key));
        seen.add(key);
        if (valueExpression === '') this.mistakes.push(requiredValue(`${field}.valueExpression`));
        const program = this.#compiled(claimsEnvironment, valueExpression, `${field}.valueExpression`);
        return program === undefined ? [] : [{ key, program }];
      }),
    };
  }

  #source({ claim = '', prefix, expression = '' }: MappingEntry, at: string): Source | undefined {
    const isUid = at.endsWith('.uid');
    if (claim !== '' && expression !== '') this.mistakes.push(invalidValue(at, '', BOTH));
    else if (expression !== '') {
      if (prefix !== undefined && !isUid) {
        this.mistakes.push(invalidValue(`${at}.prefix`, prefix, 'may not be specified when expression is set'));
      }
      const program = this.#compiled(claimsEnvironment, expression, `${at}.expression`);
      return program && { program };
    } else if (claim !== '') {
      const why = 'prefix is required when claim is set. It can be set to an empty string to disable prefixing';
      if (prefix === undefined) this.mistakes.push(requiredValue(`${at}.prefix`, why));
      return { claim, prefix: prefix ?? '' };
    }
    return undefined;
  }

  #checkKey(key: string, at: string): void {
    const [domain = '', path = ''] = key.split(/\/(.*)/s);
    if (key === '') this.mistakes.push(requiredValue(at));
    else if (domain === '' || path === '') {
      this.mistakes.push(invalidValue(at, key, 'must be a domain-prefixed path (such as "acme.io/foo")'));
    } else if (!DOMAIN.test(domain)) this.mistakes.push(invalidValue(at, domain, NO_DOMAIN));
    if (key !== key.toLowerCase()) this.mistakes.push(invalidValue(at, key, 'must be lowercase'));
    if (path !== '' && RESERVED.test(domain)) {
      const why = 'k8s.io, kubernetes.io and their subdomains are reserved for Kubernetes use';
      this.mistakes.push(invalidValue(at, key, why));
    }
  }

  /** An email address may be the username only where the expressions check that it is verified. */
  #requireVerifiedEmail(
    { username }: MappingsEntry,
    mapped: Pick<ClaimRules, 'username' | 'extra'>,
    rules: Condition[],
  ): void {
    if (!('program' in mapped.username) || !mapped.username.program.usesField('claims', 'email')) return;
    const programs = [mapped.username, ...mapped.extra, ...rules];
    if (programs.some(({ program }) => program.usesField('claims', 'email_verified'))) return;
    const at = `${this.#at}.claimMappings.username.expression`;
    this.mistakes.push(invalidValue(at, username?.expression, UNVERIFIED));
  }

  #compiled(environment: Environment, expression: string, at: string): Program | undefined {
    if (expression === '') return undefined;
    const compiled = environment.compile(expression);
    if (compiled.kind === 'compiled') return compiled.program;
    const failed = compiled.stage === 'compilation' ? 'compilation failed' : 'program instantiation failed';
    this.mistakes.push(invalidValue(at, expression, `${failed}: ${compiled.text}`));
    return undefined;
  }
}

function isEmptyMapping({ claim = '', expression = '' }: MappingEntry = {}): boolean {
  return claim === '' && expression === '';
}
