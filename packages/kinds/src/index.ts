export { holdAll, type MatchCondition, readCondition } from './admission/conditions.ts';
export { type AskAccess, admissionVariables } from './admission/environment.ts';
export { type Judgement, judgeByPolicy, type Policy, readPolicy } from './admission/policy.ts';
export { builtInRegistry } from './built-in.ts';
export { labelsText, selectorText } from './columns/cells.ts';
export { ageOf, defaultColumns } from './columns/shared.ts';
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
export { judgeNames, namesJson, withConditions } from './custom/names.ts';
export { type CustomWords, Descriptions, type ParameterWords, type TypeWords } from './descriptions.ts';
export { canonicalAddress, serviceClaims } from './entries/service-claims.ts';
export { type GenericObject, metaOf, type ObjectMeta, type OwnerReference } from './generic-object.ts';
export type { Column, Converter, Kind, KindEntry } from './kind-entry.ts';
export { listSchema, metaSchemas } from './meta-schemas.ts';
export {
  findingsAgainst,
  isStricter,
  type PodLevel,
  type PodPolicy,
  podLevelText,
  podPolicyOf,
} from './pod-security/pod-policy.ts';
export { type Amounts, addAmounts, amountsIn, amountsJson, amountsText, isSameAmounts } from './quota/amounts.ts';
export { podAmounts } from './quota/pod-amounts.ts';
export { isInScope } from './quota/scopes.ts';
export { countedNames, missingAmounts, usageOf } from './quota/usage.ts';
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
export { annotationErrors, labelErrors, validateMeta, validateMetaUpdate } from './rules/metadata.ts';
export { FOREGROUND, ORPHAN, type Propagation } from './rules/propagation.ts';
export { resetFields } from './rules/reset-fields.ts';
export { prepareCreate, prepareUpdate, setDefaults } from './rules/server-fields.ts';
export { tiesOf } from './rules/ties.ts';
export { selects } from './validation/selectors.ts';
