import { readFileSync } from 'node:fs';
import { OptionError } from '@tidegate/options';
import type { FieldError } from '@tidegate/status';
import type { JwtEntry } from './issuer-form.ts';
import { ALGORITHMS } from './json-web-token.ts';
import { readIssuers } from './read-issuers.ts';
import type { IssuerSettings } from './token-issuer.ts';

export interface OidcConfig {
  readonly oidcIssuerUrl: string;
  readonly oidcClientId: string;
  readonly oidcUsernameClaim: string;
  readonly oidcUsernamePrefix: string;
  readonly oidcGroupsClaim: string;
  readonly oidcGroupsPrefix: string;
  readonly oidcRequiredClaim: readonly string[];
  readonly oidcSigningAlgs: readonly string[];
  readonly oidcCaFile: string;
}

/** The issuer that the --oidc-* options configure; undefined: they configure none. */
export function issuerOfOptions(config: OidcConfig, ownIssuers: readonly string[]): IssuerSettings | undefined {
  const { oidcIssuerUrl: url, oidcClientId: audience, oidcSigningAlgs: algorithms } = config;
  if (url === '' && audience === '') return undefined;
  if (url === '' || audience === '') {
    throw new OptionError('--oidc-issuer-url and --oidc-client-id must be specified together');
  }
  const unknown = algorithms.find((name) => !Object.hasOwn(ALGORITHMS, name));
  if (unknown !== undefined) {
    const known = Object.keys(ALGORITHMS).join(', ');
    throw new OptionError(
      `--oidc-signing-algs: unsupported signing alg ${JSON.stringify(unknown)}; supported are ${known}`,
    );
  }
  const mistakes: FieldError[] = [];
  const [settings] = readIssuers([entryOf(config)], { mistakes, ownIssuers, algorithms });
  if (mistakes.length > 0) {
    // mistakes name fields of the file's form; only some of them can be set by options
    const words = mistakes.map(({ field, message }) => `${field.replace(/^jwt\[0\]\.(issuer\.)?/, '')}: ${message}`);
    throw new OptionError(`--oidc-issuer-url and its related options: ${words.join(', ')}`);
  }
  return settings;
}

function entryOf(config: OidcConfig): JwtEntry {
  const { oidcIssuerUrl: url, oidcClientId, oidcUsernameClaim: claim, oidcUsernamePrefix: said } = config;
  // a prefix keeps usernames of several sources apart; email addresses are unique anyway
  const usual = claim === 'email' ? '' : `${url}#`;
  const prefix = said === '-' ? '' : said === '' ? usual : said;
  const groups = { claim: config.oidcGroupsClaim, prefix: config.oidcGroupsPrefix };
  return {
    issuer: { url, audiences: [oidcClientId], certificateAuthority: authorityIn(config.oidcCaFile) },
    claimMappings: { username: { claim, prefix }, ...(groups.claim === '' ? {} : { groups }) },
    claimValidationRules: config.oidcRequiredClaim.map(requiredClaim),
  };
}

function requiredClaim(text: string): { claim: string; requiredValue: string } {
  const equals = text.indexOf('=');
  if (equals > 0) return { claim: text.slice(0, equals), requiredValue: text.slice(equals + 1) };
  throw new OptionError(`--oidc-required-claim takes CLAIM=VALUE, not ${JSON.stringify(text)}`);
}

function authorityIn(file: string): string {
  if (file === '') return '';
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new OptionError(`--oidc-ca-file: cannot read ${file} (${(error as Error).message})`);
  }
}
