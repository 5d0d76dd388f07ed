export { type Cleaned, clean, type TypeProblem } from './clean.ts';
export { applyDefaults } from './defaults.ts';
export { isJsonObject, type Json, type JsonObject, setOwn } from './json.ts';
export { type OpenApiOptions, openApiSchema, openApiShape } from './open-api.ts';
export { encodeField, encodeMessage } from './protobuf/encode.ts';
export { envelope, inEnvelope } from './protobuf/envelope.ts';
export { decodeProtobuf, hasProtobufPrefix } from './protobuf.ts';
export type { ObjectShape, PatchRule, ScalarType, Schema } from './schema.ts';
export { strategicMerge } from './strategic-merge.ts';
