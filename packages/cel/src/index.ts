export { type Compiled, Environment, type EnvironmentOptions } from './environment.ts';
export { type AccessDecision, type AccessRequest, Authorizer } from './functions/authorization.ts';
export { compareVersions } from './functions/versions.ts';
export type { Lazy } from './run/frame.ts';
export type { Outcome, Program } from './run/program.ts';
export {
  boolShape,
  bytesShape,
  dateShape,
  doubleShape,
  durationShape,
  dynShape,
  intOrStringShape,
  intShape,
  listShape,
  mapShape,
  objectShape,
  opaqueShape,
  optionalShape,
  stringShape,
  timeShape,
} from './types/shape.ts';
export type { Shape, ShapeField, Type } from './types/type.ts';
export { type Data, type DataObject, fromData } from './values/data.ts';
export { CostExceeded, Failure } from './values/failure.ts';
export { ListValue, Optional, type Value } from './values/value.ts';
