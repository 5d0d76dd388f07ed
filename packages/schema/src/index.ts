export { TooManyValues } from './body-budget.ts';
export { decodeCbor, readCbor } from './cbor/decode.ts';
export { CBOR_PREFIX, cborDocument, encodeCbor } from './cbor/encode.ts';
export { type Cleaned, type CleanOptions, clean, repeatedFields, type Surplus, type TypeProblem } from './clean.ts';
export { applyDefaults } from './defaults.ts';
export { BodyNotes, type Decoded } from './json/body-notes.ts';
export { decodeJson, parseOwnJson } from './json/decode.ts';
export {
  copyOf,
  frozen,
  isJsonObject,
  isTooDeep,
  type Json,
  type JsonObject,
  listOf,
  MAX_DEPTH,
  setOwn,
} from './json/json.ts';
export { fitsInt64, wholeNumber } from './json/whole-number.ts';
export { openApiSchema, openApiShape } from './open-api.ts';
export { decodeProtobuf, hasProtobufPrefix } from './protobuf/decode.ts';
export { encodeField, encodeMessage } from './protobuf/encode.ts';
export { envelope, inEnvelope, watchEvent } from './protobuf/envelope.ts';
export { canonicalQuantity, parseQuantity, printQuantity, type Quantity } from './quantity.ts';
export type { ObjectShape, OpenApiOptions, PatchRule, ScalarType, Schema } from './schema.ts';
export { strategicMerge } from './strategic/merge.ts';
export { printTime } from './time.ts';
export { decodeYaml, readYamlFile } from './yaml/decode.ts';
export { printYaml } from './yaml/print.ts';
