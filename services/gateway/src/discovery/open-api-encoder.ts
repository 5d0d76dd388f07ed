import { setImmediate as turn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isJsonObject, type Json, type JsonObject } from '@tidegate/schema';
import protobuf from 'protobufjs';

const protoRoot = fileURLToPath(new URL('../../../../proto/', import.meta.url));
const root = new protobuf.Root();
root.resolvePath = (_origin, target) => (target.startsWith('google/') ? target : `${protoRoot}${target}`);
root.loadSync(['openapi/v2/OpenAPIv2.proto', 'openapi/v3/OpenAPIv3.proto']);
root.resolveAll();

/** The levels that are encoded field by field: the document, and its paths and components. */
const LEVELS = 2;
const FIELDS_AT_ONCE = 40;

/** Encodes a document, which may have some MiB; yields to the event loop meanwhile. */
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

/**
 * Makes the Protobuf messages of gnostic (proto/openapi) from OpenAPI documents in JSON. The descriptors decide which
 * JSON field becomes which field of a message. The rules are those of gnostic:
 *
 *   operation_id                    the JSON field operationId
 *   _ref                            the JSON field $ref
 *   vendor_extension,               all JSON fields that begin with x-, each with its name
 *   specification_extension
 *   another list of Named messages  all remaining JSON fields, each with its name
 *   a message with a single list    a JSON list, or the only item of such a list
 *   a message with a oneof          one of several types, chosen by the JSON value
 *   Any                             the JSON text, in the field yaml
 *
 * A JSON field is left out when the message has no such field, or when its value has another type.
 */
export type Message = { [field: string]: unknown };

/** The fields of a message that take the fields of a JSON object. */
interface Plan {
  readonly fields: ReadonlyMap<string, protobuf.Field>;
  readonly extensions: protobuf.Field | undefined;
  readonly rest: protobuf.Field | undefined;
}

const EXTENSIONS = ['vendorExtension', 'specificationExtension'];
const plans = new Map<protobuf.Type, Plan>();

/** The field of a message that takes a field of a JSON object. */
export function fieldFor(type: protobuf.Type, name: string): protobuf.Field | undefined {
  const { fields, extensions, rest } = plans.get(type) ?? planOf(type);
  return fields.get(name) ?? (extensions !== undefined && name.startsWith('x-') ? extensions : rest);
}

function planOf(type: protobuf.Type): Plan {
  const extensions = type.fieldsArray.find(({ name }) => EXTENSIONS.includes(name));
  const rest = type.fieldsArray.find((field) => isNamed(field) && field !== extensions);
  const others = type.fieldsArray.filter((field) => field !== extensions && field !== rest);
  const fields = new Map(others.map((field) => [field.name === '_ref' ? '$ref' : field.name, field]));
  const plan = { fields, extensions, rest };
  plans.set(type, plan);
  return plan;
}

function isNamed({ repeated, type }: protobuf.Field): boolean {
  return repeated && type.startsWith('Named');
}

/** The message of a JSON object. */
export function messageOf(type: protobuf.Type, object: JsonObject): Message {
  const message: Message = {};
  for (const [name, value] of Object.entries(object)) {
    const field = fieldFor(type, name);
    if (field === undefined) continue;
    const made = fieldValue(field, name, value);
    if (made === undefined) continue;
    const before = message[field.name];
    if (Array.isArray(before)) before.push(...(made as unknown[]));
    else message[field.name] = made;
  }
  return message;
}

function fieldValue(field: protobuf.Field, name: string, value: Json): unknown {
  if (isNamed(field)) return [messageOf(field.resolvedType as protobuf.Type, { name, value })];
  return field.repeated ? itemsOf(field, value) : oneValue(field, value);
}

function itemsOf(field: protobuf.Field, value: Json): unknown[] {
  const items = Array.isArray(value) ? value : [value];
  return items.map((item) => oneValue(field, item)).filter((item) => item !== undefined);
}

function oneValue({ type, resolvedType }: protobuf.Field, value: Json): unknown {
  if (resolvedType instanceof protobuf.Type) return makerOf(resolvedType)(value);
  return typeof value === SCALARS[type] ? value : undefined;
}

/** The JavaScript types of scalars, by their types in the descriptors. */
const SCALARS: Readonly<Record<string, string>> = {
  string: 'string',
  bool: 'boolean',
  double: 'number',
  int64: 'number',
};

type Maker = (value: Json) => Message | undefined;
const makers = new Map<protobuf.Type, Maker>();

function makerOf(type: protobuf.Type): Maker {
  const maker = makers.get(type) ?? newMaker(type);
  makers.set(type, maker);
  return maker;
}

function newMaker(type: protobuf.Type): Maker {
  const { name, fieldsArray, oneofsArray } = type;
  const [first, second] = fieldsArray as [protobuf.Field, protobuf.Field?];
  if (name === 'Any') return (value) => ({ yaml: `${JSON.stringify(value)}\n` });
  if (oneofsArray.length > 0) {
    const choose = chooserOf(type);
    return (value) => chosen(type.fields[choose(value)], value);
  }
  const isList = second === undefined && first.repeated && !isNamed(first);
  if (isList) return (value) => ({ [first.name]: itemsOf(first, value) });
  return (value) => (isJsonObject(value) ? messageOf(type, value) : undefined);
}

function chosen(field: protobuf.Field | undefined, value: Json): Message | undefined {
  const made = field && oneValue(field, value);
  return made === undefined ? undefined : { [field!.name]: made };
}

type Chooser = (value: Json) => string;

/** Chooses the field of a oneof by the JSON value. */
function chooserOf({ name, fieldsArray }: protobuf.Type): Chooser {
  const [first, second] = fieldsArray as [protobuf.Field, protobuf.Field];
  const either =
    (isSecond: (value: Json) => boolean): Chooser =>
    (value) =>
      (isSecond(value) ? second : first).name;
  switch (name) {
    case 'AdditionalPropertiesItem':
      return either((value) => typeof value === 'boolean');
    case 'DefaultType':
      return (value) => typeof value;
    case 'Parameter':
      return either((value) => (value as JsonObject).in !== 'body');
    case 'NonBodyParameter':
      return (value) => `${String((value as JsonObject).in)}ParameterSubSchema`;
    default:
      return either((value) => second.type.endsWith('Reference') && (value as JsonObject).$ref !== undefined);
  }
}
