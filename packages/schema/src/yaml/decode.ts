import { isUtf8 } from 'node:buffer';
import { badRequest } from '@tidegate/status';
import { YAMLException } from 'js-yaml';
import { TooManyValues } from '../body-budget.ts';
import { BodyNotes, type Decoded } from '../json/body-notes.ts';
import { firstDocument } from './document.ts';
import { DocumentReader } from './reader.ts';
import { YamlError } from './yaml-error.ts';

/**
 * Decodes YAML from clients to the same JSON as Kubernetes: YAML 1.1 as kube-apiserver reads it, where `0400` is octal
 * and `yes` is true.
 */
export function decodeYaml(body: Uint8Array): Decoded {
  try {
    if (!isUtf8(body)) throw new YamlError('it is not valid UTF-8');
    return read(Buffer.from(body.buffer, body.byteOffset, body.length).toString('utf8'));
  } catch (error) {
    if (!(error instanceof YamlError || error instanceof YAMLException || error instanceof TooManyValues)) throw error;
    throw badRequest(`couldn't parse the body of the request as YAML: ${error.message}`, error);
  }
}

/** Decodes a configuration file, where a repeated key is an error. */
export function readYamlFile(text: string): unknown {
  const { value, notes } = read(text);
  const [line] = notes?.lines ?? [];
  if (line !== undefined) throw new YamlError(line);
  return value;
}

function read(text: string): Decoded {
  const document = firstDocument(text);
  if (document === undefined) return { value: null };
  const notes = new BodyNotes();
  const reader = new DocumentReader(document, notes);
  const value = reader.read();
  if (notes.repeatedKeys.size === 0) return { value };
  notes.lines = reader.lines;
  return { value, notes };
}
