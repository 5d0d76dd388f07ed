export { type Cleaned, clean, type TypeProblem } from './clean.ts';
export { isJsonObject, type Json, type JsonObject, setOwn } from './json.ts';
export { openApiSchema } from './open-api.ts';
export { decodeProtobuf, hasProtobufPrefix } from './protobuf.ts';
export type { Schema } from './schema.ts';
export { strategicMerge } from './strategic-merge.ts';
