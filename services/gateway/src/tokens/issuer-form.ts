import type { Form } from '../configuration/read-configuration.ts';

const claimOrExpression = { claim: 'text', expression: 'text' } as const satisfies Form;
const prefixed = { ...claimOrExpression, prefix: 'text' } as const satisfies Form;

/** The form of one issuer in the configuration file. */
export const issuerForm = {
  issuer: {
    url: 'text',
    discoveryURL: 'text',
    certificateAuthority: 'text',
    audiences: ['text'],
    audienceMatchPolicy: 'text',
    egressSelectorType: 'text',
  },
  claimValidationRules: [{ claim: 'text', requiredValue: 'text', expression: 'text', message: 'text' }],
  claimMappings: {
    username: prefixed,
    groups: prefixed,
    uid: claimOrExpression,
    extra: [{ key: 'text', valueExpression: 'text' }],
  },
  userValidationRules: [{ expression: 'text', message: 'text' }],
} as const satisfies Form;

export interface MappingEntry {
  readonly claim?: string;
  readonly prefix?: string;
  readonly expression?: string;
}

export interface IssuerEntry {
  readonly url?: string;
  readonly discoveryURL?: string;
  readonly certificateAuthority?: string;
  readonly audiences?: readonly string[];
  readonly audienceMatchPolicy?: string;
  readonly egressSelectorType?: string;
}

export interface ClaimRuleEntry {
  readonly claim?: string;
  readonly requiredValue?: string;
  readonly expression?: string;
  readonly message?: string;
}

export interface MappingsEntry {
  readonly username?: MappingEntry;
  readonly groups?: MappingEntry;
  readonly uid?: MappingEntry;
  readonly extra?: ReadonlyArray<{ readonly key?: string; readonly valueExpression?: string }>;
}

/** One entry of `jwt`, as it was read from the file. */
export interface JwtEntry {
  readonly issuer?: IssuerEntry;
  readonly claimValidationRules?: readonly ClaimRuleEntry[];
  readonly claimMappings?: MappingsEntry;
  readonly userValidationRules?: ReadonlyArray<{ readonly expression?: string; readonly message?: string }>;
}
