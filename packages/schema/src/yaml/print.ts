import type { Json, JsonObject } from '../json/json.ts';
import { isPlainText } from './scalar.ts';

/**
 * Prints a value as YAML in block style. Parsers of YAML 1.1 and 1.2 read the same value from it: strings that either
 * would not read as a string (yes, 0777, 1:30) are quoted.
 */
export function printYaml(value: Json): string {
  const printer = new Printer();
  printer.document(value);
  return printer.text;
}

/** A longer key needs the explicit form `? key`. */
const MAX_KEY_LENGTH = 1000;

class Printer {
  text = '';

  document(value: Json): void {
    if (isMapping(value)) this.#mapping(value, 0, '');
    else if (isSequence(value)) this.#sequence(value, 0, '');
    else this.text += `${scalar(value, '  ')}\n`;
  }

  /** The first line continues the current one, after `lead`; the others are indented. */
  #mapping(object: JsonObject, indent: number, lead: string): void {
    const pad = ' '.repeat(indent);
    let begin = lead;
    for (const name of Object.keys(object)) {
      const value = object[name];
      if (value === undefined) continue;
      const key = inLine(name);
      this.text += key.length > MAX_KEY_LENGTH ? `${begin}? ${key}\n${pad}:` : `${begin}${key}:`;
      this.#below(value, indent);
      begin = pad;
    }
  }

  #below(value: Json, indent: number): void {
    const pad = ' '.repeat(indent + 2);
    if (isMapping(value)) {
      this.text += '\n';
      this.#mapping(value, indent + 2, pad);
    } else if (isSequence(value)) {
      this.text += '\n';
      this.#sequence(value, indent + 2, pad);
    } else this.text += ` ${scalar(value, pad)}\n`;
  }

  #sequence(items: readonly Json[], indent: number, lead: string): void {
    const pad = ' '.repeat(indent);
    let begin = lead;
    for (const item of items) {
      this.text += `${begin}- `;
      if (isMapping(item)) this.#mapping(item, indent + 2, '');
      else if (isSequence(item)) this.#sequence(item, indent + 2, '');
      else this.text += `${scalar(item, `${pad}  `)}\n`;
      begin = pad;
    }
  }
}

function isMapping(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0;
}

function isSequence(value: Json): value is Json[] {
  return Array.isArray(value) && value.length > 0;
}

function scalar(value: Json, pad: string): string {
  switch (typeof value) {
    case 'string':
      return isBlock(value) ? block(value, pad) : inLine(value);
    case 'number':
      return number(value);
    case 'object':
      return value === null ? 'null' : Array.isArray(value) ? '[]' : '{}';
    default:
      return String(value);
  }
}

/** YAML 1.1 requires a decimal point in a number with an exponent. */
function number(value: number): string {
  return Object.is(value, -0) ? '-0.0' : String(value).replace(/^(-?\d)e/, '$1.e');
}

function inLine(text: string): string {
  if (isPlain(text)) return text;
  return UNPRINTABLE.test(text) ? doubleQuoted(text) : `'${text.replaceAll("'", "''")}'`;
}

const PRINTABLE = '\\x20-\\x7e\\xa0-\\u2027\\u202a-\\ud7ff\\ue000-\\ufefe\\uff00-\\ufffd\\u{10000}-\\u{10ffff}';
/** Characters that need an escape. */
const UNPRINTABLE = new RegExp(`[^${PRINTABLE}]`, 'u');
/** The start of something other than a plain string. */
const INDICATOR = /^(?:[?:,[\]{}#&*!|>'"%@` =]|-(?:\s|$)|---|\.\.\.)/;
/** Ends a key or a plain string, or begins a comment. */
const CUT = /:(?:\s|$)| (?:#|$)/;

function isPlain(text: string): boolean {
  if (text === '' || INDICATOR.test(text) || CUT.test(text) || UNPRINTABLE.test(text)) return false;
  return isPlainText(text) && !isOtherwise(text);
}

const NUMERIC = /^[-+0-9._eE]*$/;
/** a span of time, a date, a number to another base */
const OTHERWISE = /^[-+]?\d[\d_]*:[0-5]?\d|^\d{4}-\d\d?-\d\d?|^[-+]?0[xXoObB]/;

/** Some parsers read it as a number, a duration or a date. */
function isOtherwise(text: string): boolean {
  if (OTHERWISE.test(text)) return true;
  return NUMERIC.test(text) && text.indexOf('.') === text.lastIndexOf('.');
}

/** Whether the text can be written as a literal block. */
function isBlock(text: string): boolean {
  return text.includes('\n') && !/^\s/.test(text) && !NO_BLOCK.test(text);
}

const NO_BLOCK = new RegExp(`[^\\t\\n${PRINTABLE}]`, 'u');

/** The sign says how many of the final line ends belong to the text: none (`-`), one, or all (`+`). */
function block(text: string, pad: string): string {
  const sign = !text.endsWith('\n') ? '-' : text.endsWith('\n\n') ? '+' : '';
  const lines = text.endsWith('\n') ? text.slice(0, -1) : text;
  return `|${sign}\n${pad}${lines.replaceAll(/\n(?=[^\n])/g, `\n${pad}`)}`;
}

const ESCAPED = /[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/g;

/** The escapes of JSON mean the same in YAML. */
function doubleQuoted(text: string): string {
  return JSON.stringify(text).replaceAll(ESCAPED, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
