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

const ENFORCE_MOUNTABLE = 'kubernetes.io/enforce-mountable-secrets';

/** Warns when the annotation is set, and not again. */
const warnOfAccount: Warnings = (account, warn, old) => {
  const annotations = account.field('metadata.annotations');
  const before = metaOf(old ?? {}).annotations ?? {};
  if (!annotations.has(ENFORCE_MOUNTABLE) || Object.hasOwn(before, ENFORCE_MOUNTABLE)) return;
  const text = 'deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets';
  warn(`${keyOf(annotations, ENFORCE_MOUNTABLE)}: ${text}`);
};

export const serviceAccounts: Family = {
  rules: { serviceaccounts: { deleteReturnsObject: true } },
  defaults: { serviceaccounts: keepSecretNames },
  columns: { serviceaccounts: [nameColumn, ageColumn] },
  warnings: { serviceaccounts: warnOfAccount },
};
