import type { JsonObject } from '@tidegate/schema';
import { type FieldError, invalidValue } from '@tidegate/status';
import { type Form, readConfiguration, refuseMistakes } from '../../configuration/read-configuration.ts';
import type { AnonymousPaths } from '../anonymous.ts';
import { NOWHERE } from '../anonymous.ts';

const form = {
  anonymous: { enabled: 'boolean', conditions: [{ path: 'text' }] },
} as const satisfies Form;

/** What a file of --authentication-config says. */
export interface AuthenticationConfiguration {
  /** undefined: it says nothing of them */
  readonly anonymous: AnonymousPaths | undefined;
}

const OPTION = 'authentication-config';

export function readAuthenticationConfiguration(file: string): AuthenticationConfiguration {
  const content = readConfiguration({
    option: OPTION,
    file,
    kind: 'AuthenticationConfiguration',
    versions: ['v1', 'v1beta1', 'v1alpha1'],
    form,
  });
  const mistakes: FieldError[] = [];
  const anonymous = anonymousOf(content, mistakes);
  refuseMistakes(OPTION, file, mistakes);
  return { anonymous };
}

/** Paths are exact, as in kube-apiserver; without conditions all are meant. */
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
