export { ageOf, defaultColumns } from './columns.ts';
export { type GenericObject, metaOf, type ObjectMeta } from './generic-object.ts';
export type { Column, KindEntry } from './kind-entry.ts';
export { objectMetaSchema } from './object-meta.ts';
export { builtInRegistry, type Kind, Registry } from './registry.ts';
export { validateMeta, validateMetaUpdate } from './rules/metadata.ts';
