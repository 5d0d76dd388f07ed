import { isJsonObject, type JsonObject } from '@tidegate/schema';
import type { Family } from '../family.ts';
import { metaOf } from '../objects/generic-object.ts';
import { ageColumn, nameColumn } from '../rules/columns.ts';
import { keyOf, type Warnings } from '../rules/warnings.ts';

/** Keeps only the names of the secrets of an account. */
function keepSecretNames(account: JsonObject): void {
  if (!Array.isArray(account.secrets)) return;
  account.secrets = account.secrets.map((secret) =>
    isJsonObject(secret) && secret.name !== undefined ? { name: secret.name } : {},
  );
}

const LIMITS_SECRETS = 'kubernetes.io/enforce-mountable-secrets';

/** Warns when the annotation is set, and not again. */
const warnOfAccount: Warnings = (account, warn, old) => {
  const annotations = account.field('metadata.annotations');
  const before = metaOf(old ?? {}).annotations ?? {};
  if (!annotations.has(LIMITS_SECRETS) || Object.hasOwn(before, LIMITS_SECRETS)) return;
  const words = 'deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets';
  warn(`${keyOf(annotations, LIMITS_SECRETS)}: ${words}`);
};

export const serviceAccounts: Family = {
  rules: { serviceaccounts: { deleteReturnsObject: true } },
  defaults: { serviceaccounts: keepSecretNames },
  columns: { serviceaccounts: [nameColumn, ageColumn] },
  warnings: { serviceaccounts: warnOfAccount },
};
