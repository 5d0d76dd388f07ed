import type { JsonObject } from '@tidegate/schema';
import { type FieldError, invalidValue } from '@tidegate/status';
import { type Form, readConfiguration, refuseMistakes } from '../configuration/read-configuration.ts';
import { issuerForm, type JwtEntry } from '../tokens/issuer-form.ts';
import { readIssuers } from '../tokens/read-issuers.ts';
import type { IssuerSettings } from '../tokens/token-issuer.ts';
import { type AnonymousPaths, NOWHERE } from './authenticator.ts';

const form = {
  anonymous: { enabled: 'boolean', conditions: [{ path: 'text' }] },
  jwt: [issuerForm],
} as const satisfies Form;

/** The content of the file of --authentication-config. */
export interface AuthenticationConfiguration {
  /** undefined: the file does not set it */
  readonly anonymous: AnonymousPaths | undefined;
  readonly issuers: readonly IssuerSettings[];
}

const OPTION = 'authentication-config';

/** `ownIssuers`: the issuers of this server's own tokens, which the file must not name. */
export function readAuthenticationConfiguration(
  file: string,
  ownIssuers: readonly string[],
): AuthenticationConfiguration {
  const content = readConfiguration({
    option: OPTION,
    file,
    kind: 'AuthenticationConfiguration',
    versions: ['v1', 'v1beta1', 'v1alpha1'],
    form,
  });
  const mistakes: FieldError[] = [];
  const anonymous = anonymousOf(content, mistakes);
  const issuers = readIssuers((content.jwt ?? []) as JwtEntry[], { mistakes, ownIssuers });
  refuseMistakes(OPTION, file, mistakes);
  return { anonymous, issuers };
}

/** Paths are exact, as in kube-apiserver; without conditions all paths are allowed. */
function anonymousOf({ anonymous }: JsonObject, mistakes: FieldError[]): AnonymousPaths | undefined {
  if (anonymous === undefined || anonymous === null) return undefined;
  const { enabled = false, conditions } = anonymous as { enabled?: boolean; conditions?: Array<{ path?: string }> };
  const paths = (conditions ?? []).map(({ path = '' }) => path);
  if (!enabled && paths.length > 0) {
    const why = 'enabled should be set to true when conditions are defined';
    mistakes.push(invalidValue('anonymous.conditions', conditions, why));
  }
  if (!enabled) return NOWHERE;
  return paths.length === 0 ? 'all' : { exact: new Set(paths), below: [] };
}
