import type { Item, ItemForm } from '@tidegate/collection';
import { metaSchemas } from '@tidegate/kinds';
import {
  CBOR_PREFIX,
  encodeCbor,
  encodeField,
  envelope,
  type Json,
  type JsonObject,
  parseOwnJson,
  printYaml,
} from '@tidegate/schema';
import type { ResourceRequest } from '../request/resource-request.ts';
import { isPretty } from './answer.ts';
import { indented } from './encodings.ts';
import { type ListForm, listedObject, shapeOf } from './list-shape.ts';

export function listForm(request: ResourceRequest): ListForm {
  const { accepted } = request;
  switch (accepted.encoding.name) {
    case 'json':
      return jsonForm(request, isPretty(request));
    case 'yaml':
      return yamlForm(request);
    case 'cbor':
      return cborForm(request);
    case 'protobuf':
      return accepted.as === 'table' ? tableInEnvelope(request) : protobufForm(request);
  }
}

/** A Table has no Protobuf form: it is sent as JSON in the Protobuf envelope. */
function tableInEnvelope(request: ResourceRequest): ListForm {
  const form = jsonForm(request, false);
  const type = { kind: 'Table', apiVersion: request.accepted.metaVersion, contentType: 'application/json' };
  return { ...form, plain: false, frame: (bytes) => envelope(type, bytes) };
}

const NOTHING = Buffer.alloc(0);
const ITEMS = 2;

/** Metadata is field 1 of a list and items are field 2; each is preceded by its length. */
function protobufForm({ kind, accepted }: ResourceRequest): ListForm {
  const whole = accepted.as === 'object';
  const schema = whole ? kind.schema : metaSchemas.partialObject;
  const type = whole
    ? { kind: `${kind.entry.kind}List`, apiVersion: kind.apiVersion }
    : { kind: 'PartialObjectMetadataList', apiVersion: accepted.metaVersion };
  const items: ItemForm = {
    name: `protobuf ${whole ? kind.apiVersion : 'metadata'}`,
    encode: (item) => {
      return encodeField(ITEMS, schema, whole ? listedObject(kind, item) : parseOwnJson(item.listed));
    },
  };
  return {
    plain: false,
    items,
    open: () => NOTHING,
    item: (item) => items.encode(item),
    close: () => NOTHING,
    frame: (bytes, metadata) => {
      const first = encodeField(1, metaSchemas.listMeta, metadata as unknown as JsonObject);
      const { head, tail } = envelope(type, first.length + bytes);
      return { head: Buffer.concat([head, first]), tail };
    },
  };
}

function jsonForm(request: ResourceRequest, pretty: boolean): ListForm {
  const { accepted } = request;
  const { heading, items, of } = shapeOf(request);
  const plain = accepted.as === 'object' && !pretty && request.kind.stored === request.kind;
  const text = (item: Item) => textOf(of(item), pretty, 4);
  const between = pretty ? '\n    ' : '';
  return {
    plain,
    open: (metadata) => {
      const known = metadata === undefined ? {} : { metadata: metadata as unknown as JsonObject };
      return Buffer.from(textOf({ ...heading, ...known, [items]: [] }, pretty, 0).replace(/\]\n?\}$/, ''));
    },
    item: (item, first) => {
      const separator = `${first ? '' : ','}${between}`;
      return plain ? Buffer.concat([Buffer.from(separator), item.listed]) : Buffer.from(`${separator}${text(item)}`);
    },
    close: (empty, metadata) => {
      const end = pretty ? `${empty ? '' : '\n  '}]` : ']';
      if (metadata === undefined) return Buffer.from(pretty ? `${end}\n}\n` : `${end}}\n`);
      const name = pretty ? '  "metadata": ' : '"metadata":';
      const body = textOf(metadata as unknown as JsonObject, pretty, 2);
      return Buffer.from(pretty ? `${end},\n${name}${body}\n}\n` : `${end},${name}${body}}\n`);
    },
  };
}

function textOf(value: JsonObject, pretty: boolean, indent: number): string {
  return pretty ? JSON.stringify(value, null, 2).replaceAll('\n', `\n${' '.repeat(indent)}`) : JSON.stringify(value);
}

const MAP = 0xa0;
/** an array of indefinite length, closed by BREAK: the number of items is known only at the end */
const ARRAY = Buffer.from([0x9f]);
const BREAK = Buffer.from([0xff]);

/** A CBOR map of the heading, the items and the metadata, written item by item. */
export function cborForm(request: ResourceRequest): ListForm {
  const { heading, items, of, schema } = shapeOf(request);
  const fields = Object.entries(heading);
  const field = (name: string, value: Json) => [encodeCbor(name), encodeCbor(value)];
  const metadataOf = (metadata: object | undefined) =>
    metadata === undefined ? [] : field('metadata', metadata as JsonObject);
  return {
    plain: false,
    open: (metadata) =>
      Buffer.concat([
        CBOR_PREFIX,
        Buffer.from([MAP | (fields.length + 2)]),
        ...fields.flatMap(([name, value]) => field(name, value as Json)),
        ...metadataOf(metadata),
        encodeCbor(items),
        ARRAY,
      ]),
    item: (item) => encodeCbor(of(item), schema),
    close: (_empty, metadata) => Buffer.concat([BREAK, ...metadataOf(metadata)]),
  };
}

/** YAML written item by item, each indented under its dash. */
export function yamlForm(request: ResourceRequest): ListForm {
  const { heading, items, of } = shapeOf(request);
  const metadataOf = (metadata: object | undefined) =>
    metadata === undefined ? '' : printYaml({ metadata: metadata as JsonObject });
  return {
    plain: false,
    // the line break or ` []` follows when it is known whether there are items
    open: (metadata) => Buffer.from(`${printYaml(heading)}${metadataOf(metadata)}${items}:`),
    item: (item, first) => {
      const text = Buffer.from(printYaml(of(item)));
      return Buffer.concat([Buffer.from(first ? '\n  - ' : '  - '), indented(text, '    ')]);
    },
    close: (empty, metadata) => Buffer.from(`${empty ? ' []\n' : ''}${metadataOf(metadata)}`),
  };
}
