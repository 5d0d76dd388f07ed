export { holdAll, type MatchCondition, readCondition } from './admission/conditions.ts';
export { admissionVariables, type CheckAccess } from './admission/environment.ts';
export { evaluatePolicy, type Policy, type PolicyResult, readPolicy } from './admission/policy.ts';
export { builtInRegistry } from './built-in.ts';
export {
  API_SERVICES,
  type ApiPriority,
  locallyAvailable,
  localPriority,
  REGISTRATION_GROUP,
} from './custom/api-services.ts';
export { customDefaultColumns } from './custom/columns.ts';
export {
  CLEANUP,
  type Condition,
  compareVersions,
  DEFINITIONS,
  type Definition,
  hasCondition,
  readDefinition,
  type ScalePaths,
} from './custom/definition.ts';
export { jsonPath } from './custom/json-path.ts';
export { kindsOf } from './custom/kinds-of.ts';
export { decideNames, namesJson, withConditions } from './custom/names.ts';
export {
  type CustomDescriptions,
  Descriptions,
  type ParameterDescriptions,
  type TypeDescriptions,
} from './descriptions.ts';
export type { Column, Converter, Kind, KindEntry } from './kind-entry.ts';
export { type GenericObject, metaOf, type ObjectMeta, type OwnerReference } from './objects/generic-object.ts';
export { listSchema, metaSchemas } from './objects/meta-schemas.ts';
export { annotationErrors, generatedName, labelErrors, validateMeta, validateMetaUpdate } from './objects/metadata.ts';
export { prepareCreate, prepareUpdate, resetFields, setDefaults } from './objects/server-fields.ts';
export { FOREGROUND, ORPHAN, type Propagation, tiesOf } from './objects/ties.ts';
export {
  findingsAgainst,
  isStricter,
  type PodLevel,
  type PodPolicy,
  podLevelText,
  podPolicyOf,
} from './pod-security/pod-policy.ts';
export { missingAmounts, podAmounts } from './pods/usage.ts';
export { countedNames, isInScope, usageOf } from './policy/quotas.ts';
export {
  fromStored,
  isConverted,
  isTypeless,
  kindOf,
  type MetaTypes,
  Registry,
  storageOf,
  toStored,
} from './registry.ts';
export { type Amounts, addAmounts, amountsIn, amountsJson, amountsText, isSameAmounts } from './rules/amounts.ts';
export { labelsText, selectorText } from './rules/cells.ts';
export { ageOf, defaultColumns } from './rules/columns.ts';
export { selects } from './rules/selectors.ts';
export { readRuntimeConfig } from './runtime-config.ts';
export { canonicalAddress, serviceClaims } from './services/addresses.ts';
