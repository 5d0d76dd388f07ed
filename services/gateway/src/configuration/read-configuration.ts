import { readFileSync } from 'node:fs';
import { closestName, OptionError } from '@tidegate/options';
import { isJsonObject, type Json, type JsonObject, readYamlFile } from '@tidegate/schema';
import type { FieldError } from '@tidegate/status';

/** The expected form of a value: an object with named fields, a list, or a scalar. */
export type Form = 'text' | 'boolean' | readonly [Form] | { readonly [field: string]: Form };

interface Wanted {
  /** the option that names the file */
  readonly option: string;
  readonly file: string;
  /** default: the group of configurations */
  readonly group?: string;
  readonly kind: string;
  readonly versions: readonly string[];
  readonly form: { readonly [field: string]: Form };
}

const USUAL_GROUP = 'apiserver.config.k8s.io';

/** Reads a configuration file in kube-apiserver's format. Unknown fields are an error, because they may be restrictions. */
export function readConfiguration(wanted: Wanted): JsonObject {
  const { option, file } = wanted;
  const refuse = (why: string) => new OptionError(`--${option} ${file}: ${why}`);
  let document: unknown;
  try {
    document = readYamlFile(readFileSync(file, 'utf8'));
  } catch (error) {
    throw refuse((error as Error).message.split('\n')[0] ?? '');
  }
  try {
    return contentOf(document as Json, wanted);
  } catch (error) {
    throw refuse((error as Error).message);
  }
}

type Content = Pick<Wanted, 'group' | 'kind' | 'versions' | 'form'>;

/** The content of a configuration without kind and apiVersion. */
export function contentOf(document: Json, { group = USUAL_GROUP, kind, versions, form }: Content): JsonObject {
  if (!isJsonObject(document))
    throw new Error(`it must hold ${/^[AEIOU]/.test(kind) ? 'an' : 'a'} ${kind} of ${group}`);
  const { apiVersion, kind: said, ...content } = document;
  const known = versions.map((version) => `${group}/${version}`);
  if (said !== kind || !known.includes(String(apiVersion))) {
    const which = known.length === 1 ? 'the version' : 'one of the versions';
    throw new Error(`it must be of the kind ${kind} and ${which} ${known.join(', ')}, not ${said} of ${apiVersion}`);
  }
  const wrong = misfits(content, form, '');
  if (wrong.length > 0) throw new Error(`strict decoding error: ${wrong.join(', ')}`);
  return content;
}

/** Throws one error with all mistakes of a file. */
export function refuseMistakes(option: string, file: string, mistakes: readonly FieldError[]): void {
  if (mistakes.length === 0) return;
  const words = mistakes.map(({ field, message }) => `${field}: ${message}`);
  throw new OptionError(`--${option} ${file}: ${words.length === 1 ? words[0] : `[${words.join(', ')}]`}`);
}

function misfits(value: Json, form: Form, at: string): string[] {
  // null counts as absent
  if (value === null) return [];
  if (form === 'text') return typeof value === 'string' ? [] : [`${at} must be a text, not ${JSON.stringify(value)}`];
  if (form === 'boolean') return typeof value === 'boolean' ? [] : [`${at} must be true or false`];
  if (isList(form)) {
    if (!Array.isArray(value)) return [`${at} must be a list`];
    return value.flatMap((item, i) =>
      item === null ? [`${at}[${i}] is empty`] : misfits(item, form[0], `${at}[${i}]`),
    );
  }
  if (!isJsonObject(value)) return [`${at} must hold fields`];
  return Object.entries(value).flatMap(([name, one]) => {
    const path = at === '' ? name : `${at}.${name}`;
    const known = Object.hasOwn(form, name) ? form[name] : undefined;
    return known === undefined ? [unknownField(path, name, form)] : misfits(one, known, path);
  });
}

function unknownField(path: string, name: string, form: Readonly<Record<string, Form>>): string {
  const near = closestName(name, Object.keys(form));
  return `unknown field ${JSON.stringify(path)}${near === undefined ? '' : ` (did you mean ${near}?)`}`;
}

function isList(form: Form): form is readonly [Form] {
  return Array.isArray(form);
}
