import { readFileSync } from 'node:fs';
import type { Schema } from '@tidegate/schema';
import { parseField } from './parse-field.ts';

interface Place {
  /** the prefix of its types in OpenAPI */
  readonly reference: string;
  readonly types: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/**
 * All types of the facts, by names such as `core.v1/PodSpec`.
 *
 * Invariant: nothing is read before its first use. A place (one file) is read at the first use of one of its types,
 * and the fields of a type are parsed once, at their first use. So types can refer to themselves and to each other,
 * and a process only pays for the kinds of its requests.
 */
export class TypeTable {
  readonly #places = new Map<string, Place>();
  readonly #types = new Map<string, Schema>();
  readonly #read: (place: string) => Place;

  constructor(read: (place: string) => Place = readPlace) {
    this.#read = read;
  }

  /** Returns the same object for the same name. */
  type(name: string): Schema {
    let type = this.#types.get(name);
    if (type === undefined) {
      type = this.#make(name);
      this.#types.set(name, type);
    }
    return type;
  }

  #make(name: string): Schema {
    const slash = name.indexOf('/');
    const placeName = name.slice(0, slash);
    const typeName = name.slice(slash + 1);
    const { reference, types } = this.#place(placeName);
    const texts = types[typeName];
    if (texts === undefined) throw new Error(`the facts do not have the type ${name}`);
    const parse = (text: string): Schema => parseField(text, (type) => this.type(qualified(type, placeName)));
    const full = `${reference}.${typeName}`;
    return texts[''] === 'union' ? unionType(texts, full, parse) : objectType(texts, { name: typeName, full }, parse);
  }

  #place(placeName: string): Place {
    let place = this.#places.get(placeName);
    if (place === undefined) {
      place = this.#read(placeName);
      this.#places.set(placeName, place);
    }
    return place;
  }
}

function readPlace(placeName: string): Place {
  return JSON.parse(readFileSync(new URL(`../../facts/${placeName}.json`, import.meta.url), 'utf8')) as Place;
}

/** A type of the same place is named without the place. */
function qualified(type: string, placeName: string): string {
  return type.includes('/') ? type : `${placeName}/${type}`;
}

type Texts = Readonly<Record<string, string>>;

function objectType(
  texts: Texts,
  { name, full }: { name: string; full: string },
  parse: (text: string) => Schema,
): Schema {
  let fields: Record<string, Schema> | undefined;
  return {
    type: 'object',
    name,
    reference: full,
    ...(texts[''] === 'atomic' ? { atomic: true } : {}),
    get fields() {
      fields ??= Object.fromEntries(parsed(texts, parse));
      return fields;
    },
  };
}

function unionType(texts: Texts, full: string, parse: (text: string) => Schema): Schema {
  let members: Schema[] | undefined;
  return {
    type: 'union',
    reference: full,
    get members() {
      members ??= parsed(texts, parse).map(([, member]) => member);
      return members;
    },
  };
}

function parsed(texts: Texts, parse: (text: string) => Schema): Array<[string, Schema]> {
  return Object.entries(texts).flatMap(([name, text]) => (name === '' ? [] : [[name, parse(text)]]));
}
