export {
  type Application,
  type Applied,
  appliedFields,
  applyConfiguration,
  type Merged,
  mergeConfiguration,
  settleOwners,
} from './apply.ts';
export { compare } from './compare.ts';
export { ConflictingOwners } from './conflicts.ts';
export { duplicateIn } from './duplicates.ts';
export { emptyObject } from './empty-object.ts';
export { EMPTY, type FieldSet, fieldSet } from './field-set.ts';
export { fieldsOf } from './fields-of.ts';
export { ownBeforeApply, ownUpdate } from './own-update.ts';
export { NO_OWNERS, type Owners, readOwners, writeOwners } from './owners.ts';
export { isSame, UnidentifiedItem } from './shape.ts';
export { oneVersion, type Version, type Versions } from './versions.ts';
