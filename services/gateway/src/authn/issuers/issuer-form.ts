import type { Form } from '../../configuration/read-configuration.ts';

const claimOrExpression = { claim: 'text', expression: 'text' } as const satisfies Form;
const prefixed = { ...claimOrExpression, prefix: 'text' } as const satisfies Form;

/** What a file says of one issuer. */
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

export interface ToldMapping {
  readonly claim?: string;
  readonly prefix?: string;
  readonly expression?: string;
}

export interface ToldIssuer {
  readonly url?: string;
  readonly discoveryURL?: string;
  readonly certificateAuthority?: string;
  readonly audiences?: readonly string[];
  readonly audienceMatchPolicy?: string;
  readonly egressSelectorType?: string;
}

export interface ToldClaimRule {
  readonly claim?: string;
  readonly requiredValue?: string;
  readonly expression?: string;
  readonly message?: string;
}

export interface ToldMappings {
  readonly username?: ToldMapping;
  readonly groups?: ToldMapping;
  readonly uid?: ToldMapping;
  readonly extra?: ReadonlyArray<{ readonly key?: string; readonly valueExpression?: string }>;
}

/** The same, as it was read. */
export interface ToldJwt {
  readonly issuer?: ToldIssuer;
  readonly claimValidationRules?: readonly ToldClaimRule[];
  readonly claimMappings?: ToldMappings;
  readonly userValidationRules?: ReadonlyArray<{ readonly expression?: string; readonly message?: string }>;
}
