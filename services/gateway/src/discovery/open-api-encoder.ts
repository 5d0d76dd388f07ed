import { setImmediate as turn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isJsonObject, type JsonObject } from '@tidegate/schema';
import protobuf from 'protobufjs';
import { fieldFor, messageOf } from './open-api-messages.ts';

const protoRoot = fileURLToPath(new URL('../../../../proto/', import.meta.url));
const root = new protobuf.Root();
root.resolvePath = (_origin, target) => (target.startsWith('google/') ? target : `${protoRoot}${target}`);
root.loadSync(['openapi/v2/OpenAPIv2.proto', 'openapi/v3/OpenAPIv3.proto']);
root.resolveAll();

/** A document, its paths, its components, and the schemas of those. */
const LEVELS = 2;
const FIELDS_AT_ONCE = 40;

/** Encodes a document. Other requests are served in between, because a document can have some MiB. */
export async function encodeDocument(version: 'v2' | 'v3', document: JsonObject): Promise<Buffer> {
  const writer = protobuf.Writer.create();
  await write(writer, root.lookupType(`openapi.${version}.Document`), { object: document, levels: LEVELS });
  return writer.finish() as Buffer;
}

interface Part {
  readonly object: JsonObject;
  /** how many levels of objects below this one are written field by field */
  readonly levels: number;
}

async function write(writer: protobuf.Writer, type: protobuf.Type, { object, levels }: Part): Promise<void> {
  let written = 0;
  for (const [name, value] of Object.entries(object)) {
    const field = fieldFor(type, name);
    const inner = field?.repeated ? undefined : field?.resolvedType;
    if (field !== undefined && inner instanceof protobuf.Type && isJsonObject(value) && levels > 0) {
      writer.uint32((field.id << 3) | 2).fork();
      await write(writer, inner, { object: value, levels: levels - 1 });
      writer.ldelim();
    } else {
      type.encode(messageOf(type, { [name]: value }), writer);
    }
    if (++written % FIELDS_AT_ONCE === 0) await turn();
  }
}
