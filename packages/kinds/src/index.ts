export { builtInRegistry } from './built-in.ts';
export { labelsText, selectorText } from './columns/cells.ts';
export { ageOf, defaultColumns } from './columns/shared.ts';
export { type GenericObject, metaOf, type ObjectMeta } from './generic-object.ts';
export type { Column, KindEntry } from './kind-entry.ts';
export { listSchema, metaSchemas } from './meta-schemas.ts';
export { fromStored, type Kind, kindOf, type MetaTypes, Registry, toStored } from './registry.ts';
export { validateMeta, validateMetaUpdate } from './rules/metadata.ts';
export { prepareCreate, prepareUpdate, setDefaults } from './rules/server-fields.ts';
