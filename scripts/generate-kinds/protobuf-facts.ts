import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A field of a Protobuf message. */
export interface ProtobufField {
  readonly name: string;
  readonly number: number;
  readonly repeated: boolean;
  /** `int32`, `string`, `core.v1/PodSpec`, `map<string, …>` */
  readonly type: string;
}

/** All messages by `group.version/Name`, with their fields in the order of their numbers in the file. */
export type ProtobufFacts = ReadonlyMap<string, readonly ProtobufField[]>;

const FIELD = /^\s*(optional|repeated)?\s*(map<\s*string,\s*[\w.]+\s*>|[\w.]+)\s+(\w+)\s*=\s*(\d+);/;

export function readProtobufFacts(folders: readonly string[]): ProtobufFacts {
  const messages = new Map<string, ProtobufField[]>();
  for (const folder of folders) {
    for (const file of globSync('**/generated.proto', { cwd: folder })) {
      readFile(readFileSync(join(folder, file), 'utf8'), messages);
    }
  }
  return messages;
}

function readFile(text: string, messages: Map<string, ProtobufField[]>): void {
  const home = placeOf(/^package ([\w.]+);/m.exec(text)?.[1] ?? '');
  let fields: ProtobufField[] | undefined;
  for (const line of text.split('\n')) {
    const message = /^message (\w+) \{/.exec(line);
    if (message !== null) {
      fields = [];
      messages.set(`${home}/${message[1]}`, fields);
      continue;
    }
    const [, label, type = '', name = '', number] = FIELD.exec(line) ?? [];
    if (number === undefined) continue;
    fields?.push({ name, number: Number(number), repeated: label === 'repeated', type: typeOf(type, home) });
  }
}

const SCALARS = new Set(['string', 'bool', 'int32', 'int64', 'bytes', 'double']);

function typeOf(text: string, home: string): string {
  const values = /^map<\s*string,\s*([\w.]+)\s*>$/.exec(text)?.[1];
  if (values !== undefined) return `map<${typeOf(values, home)}>`;
  if (SCALARS.has(text)) return text;
  if (!text.startsWith('.')) return `${home}/${text}`;
  const dot = text.lastIndexOf('.');
  return `${placeOf(text.slice(1, dot))}/${text.slice(dot + 1)}`;
}

/** `k8s.io.api.core.v1` and `io.k8s.api.core.v1` are both `core.v1`. */
export function placeOf(name: string): string {
  return name.split('.').slice(-2).join('.');
}
