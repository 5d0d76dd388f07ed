import type { Item, ItemForm } from '@tidegate/collection';
import { metaSchemas } from '@tidegate/kinds';
import { encodeField, envelope, type JsonObject, parseOwnJson } from '@tidegate/schema';
import type { ResourceRequest } from '../request/resource-request.ts';
import { isPretty } from './answer.ts';
import { cborForm } from './list-form-cbor.ts';
import { yamlForm } from './list-form-yaml.ts';
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
      return accepted.as === 'table' ? framedTable(request) : protobufForm(request);
  }
}

/** What has no Protobuf travels as JSON in the message that Protobuf has for it. */
function framedTable(request: ResourceRequest): ListForm {
  const form = jsonForm(request, false);
  const type = { kind: 'Table', apiVersion: request.accepted.metaVersion, contentType: 'application/json' };
  return { ...form, plain: false, frame: (bytes) => envelope(type, bytes) };
}

const NOTHING = Buffer.alloc(0);
const ITEMS = 2;

/** Metadata is field 1 of a list and items are field 2, each with its length before it. */
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
      const told = metadata === undefined ? {} : { metadata: metadata as unknown as JsonObject };
      return Buffer.from(textOf({ ...heading, ...told, [items]: [] }, pretty, 0).replace(/\]\n?\}$/, ''));
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
