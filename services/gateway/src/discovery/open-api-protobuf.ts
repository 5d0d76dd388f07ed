import type { JsonObject } from '@tidegate/schema';

/**
 * Encodes an OpenAPI document in the Protobuf form that clients of Kubernetes ask for. The descriptors and the encoder
 * are loaded for the first such client: most gateways never need them.
 */
export async function openApiV2Protobuf(document: JsonObject): Promise<Buffer> {
  const { encodeDocument } = await import('./open-api-encoder.ts');
  return encodeDocument('v2', document);
}

export async function openApiV3Protobuf(document: JsonObject): Promise<Buffer> {
  const { encodeDocument } = await import('./open-api-encoder.ts');
  return encodeDocument('v3', document);
}
