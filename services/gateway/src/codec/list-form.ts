import type { Item } from '@tidegate/collection';
import { fromStored } from '@tidegate/kinds';
import type { JsonObject } from '@tidegate/schema';
import type { ResourceRequest } from '../gateway.ts';
import type { ListMetadata } from '../rules/list-page.ts';
import type { Accepted } from './negotiate.ts';
import { columnDefinitions, partialObject, tableRow } from './object-form.ts';

/** A list written item by item. Its metadata comes first where it is known then, and last otherwise. */
export interface ListForm {
  open(metadata?: ListMetadata): Buffer;
  /** items are their stored bytes, separated by commas */
  readonly plain: boolean;
  item(item: Item, first: boolean): Buffer;
  close(empty: boolean, metadata?: ListMetadata): Buffer;
}

export function listForm(request: ResourceRequest, accepted: Accepted, pretty: boolean): ListForm {
  const { heading, items, of } = shapeOf(request, accepted);
  const plain = accepted.as === 'object' && !pretty && request.kind.stored === request.kind;
  const text = (item: Item) => textOf(of(JSON.parse(item.json.toString('utf8')) as JsonObject), pretty, 4);
  const between = pretty ? '\n    ' : '';
  return {
    plain,
    open: (metadata) => {
      const told = metadata === undefined ? {} : { metadata: metadata as unknown as JsonObject };
      return Buffer.from(textOf({ ...heading, ...told, [items]: [] }, pretty, 0).replace(/\]\n?\}$/, ''));
    },
    item: (item, first) => {
      const separator = `${first ? '' : ','}${between}`;
      return plain ? Buffer.concat([Buffer.from(separator), item.json]) : Buffer.from(`${separator}${text(item)}`);
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

interface Shape {
  heading: JsonObject;
  /** the field of the items */
  items: 'items' | 'rows';
  of: (object: JsonObject) => JsonObject;
}

function shapeOf({ kind, info }: ResourceRequest, { as, group }: Accepted): Shape {
  const apiVersion = `${group}/v1`;
  switch (as) {
    case 'table': {
      const include = info.query.get('includeObject') ?? '';
      const heading = { kind: 'Table', apiVersion, columnDefinitions: columnDefinitions(kind) };
      return { heading, items: 'rows', of: (object) => tableRow(kind, object, include, group) };
    }
    case 'metadata': {
      const heading = { kind: 'PartialObjectMetadataList', apiVersion };
      return { heading, items: 'items', of: (object) => partialObject(object, group) };
    }
    case 'object': {
      const heading = { kind: `${kind.entry.kind}List`, apiVersion: kind.apiVersion };
      return { heading, items: 'items', of: (object) => fromStored(kind, object) };
    }
  }
}

function textOf(value: JsonObject, pretty: boolean, indent: number): string {
  return pretty ? JSON.stringify(value, null, 2).replaceAll('\n', `\n${' '.repeat(indent)}`) : JSON.stringify(value);
}
