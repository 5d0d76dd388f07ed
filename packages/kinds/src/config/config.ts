import { isJsonObject, type JsonObject, setOwn } from '@tidegate/schema';
import type { ByResource, Family, QuotaUsage } from '../family.ts';
import type { Column, KindRules } from '../kind-entry.ts';
import { cellAt, countAt } from '../rules/cells.ts';
import { ageColumn, column, nameColumn } from '../rules/columns.ts';
import { defaulter, type SetDefaults } from '../rules/default-rules.ts';
import { textFields } from '../rules/fields.ts';
import type { UpdateChecks } from '../rules/type-rules.ts';
import { configMap } from './config-maps.ts';
import { secretChecks, secretUpdate } from './secrets.ts';
import { warnings } from './warnings.ts';

const secretDefaults = defaulter({ type: 'Opaque' });

/** stringData is for writing only: its values are stored in data, as base64. */
function encodeTexts(object: JsonObject): void {
  const { stringData } = object;
  delete object.stringData;
  if (!isJsonObject(stringData)) return;
  const data = (object.data ?? {}) as JsonObject;
  for (const [key, text] of Object.entries(stringData)) setOwn(data, key, Buffer.from(String(text)).toString('base64'));
  object.data = data;
}

/** Keeps only the names of the secrets of an account. */
function keepSecretNames(account: JsonObject): void {
  if (!Array.isArray(account.secrets)) return;
  account.secrets = account.secrets.map((secretDefaults) =>
    isJsonObject(secretDefaults) && secretDefaults.name !== undefined ? { name: secretDefaults.name } : {},
  );
}

const columns: ByResource<readonly Column[]> = {
  configmaps: [
    nameColumn,
    column('Data', 'Number of entries', (object) => countAt(object, 'data') + countAt(object, 'binaryData')),
    ageColumn,
  ],
  secrets: [
    nameColumn,
    column('Type', 'Type of the secret', cellAt('type')),
    column('Data', 'Number of entries', (object) => countAt(object, 'data')),
    ageColumn,
  ],
  serviceaccounts: [nameColumn, ageColumn],
};

const defaults: ByResource<SetDefaults> = {
  secrets: (object) => {
    secretDefaults(object);
    encodeTexts(object);
  },
  serviceaccounts: keepSecretNames,
};

const rules: ByResource<KindRules> = {
  configmaps: configMap,
  secrets: { selectableFields: textFields({ type: '' }) },
  serviceaccounts: { deleteReturnsObject: true },
};

const updates: ByResource<UpdateChecks> = {
  secrets: { '': secretUpdate },
};

const usage: ByResource<QuotaUsage> = { configmaps: { names: ['configmaps'] }, secrets: { names: ['secrets'] } };

export const config: Family = { rules, defaults, columns, updates, warnings, usage, types: secretChecks };
