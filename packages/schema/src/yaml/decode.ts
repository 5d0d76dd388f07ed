import { badRequest } from '@tidegate/status';
import { BodyNotes, type Decoded } from '../json/body-notes.ts';
import { firstDocument } from './document.ts';
import { DocumentReader } from './reader.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * YAML from outside, as the JSON that Kubernetes makes of it: YAML 1.1 as its servers read it, where `0400` is octal and
 * `yes` is true.
 */
export function decodeYaml(body: Uint8Array): Decoded {
  try {
    return read(utf8.decode(body));
  } catch (error) {
    throw badRequest(`couldn't parse the body of the request as YAML: ${(error as Error).message}`, error);
  }
}

/** The same for a file, where a key that stands twice is a mistake. */
export function readYamlFile(text: string): unknown {
  const { value, notes } = read(text);
  const [line] = notes?.lines ?? [];
  if (line !== undefined) throw new Error(line);
  return value;
}

function read(text: string): Decoded {
  const document = firstDocument(text);
  if (document === undefined) return { value: null };
  const notes = new BodyNotes();
  const reader = new DocumentReader(document, notes);
  const value = reader.read();
  if (notes.twice.size === 0) return { value };
  notes.lines = reader.lines;
  return { value, notes };
}
