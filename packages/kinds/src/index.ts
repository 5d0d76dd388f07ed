export { builtInRegistry } from './built-in.ts';
export { ageOf, defaultColumns } from './columns.ts';
export { type GenericObject, metaOf, type ObjectMeta } from './generic-object.ts';
export type { Column, GroupVersionKind, KindEntry, Subresource } from './kind-entry.ts';
export { fromStored, type Kind, Registry, toStored } from './registry.ts';
export { validateMeta, validateMetaUpdate } from './rules/metadata.ts';
export { prepareCreate, prepareUpdate, setDefaults } from './rules/server-fields.ts';
