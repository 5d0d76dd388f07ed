import { type Event, parseEvents, YAMLException } from 'js-yaml';
import { MAX_DEPTH } from '../json/json.ts';

interface Parsed {
  /** the text to which the events refer: the lines of the original, some with more indentation */
  readonly source: string;
  readonly events: readonly Event[];
}

/** The most characters that may be parsed again in total. */
const MAX_CHARACTERS = 4 << 20;

/**
 * Parses a text that may be YAML 1.1. It allows lines inside brackets and quotes to have any indentation, which YAML
 * 1.2 rejects. Such a line is indented, which does not change its meaning, and the text is parsed again.
 */
export function parse(text: string): Parsed {
  let source = text;
  let padding: string | undefined;
  for (let parsed = 0; ; parsed += source.length) {
    try {
      // this parser counts scalars as a level, too
      return { source, events: parseEvents(source, { maxDepth: MAX_DEPTH + 1 }) };
    } catch (error) {
      if (!(error instanceof YAMLException) || error.reason !== 'deficient indentation' || error.mark === undefined)
        throw error;
      if (parsed > MAX_CHARACTERS) throw error;
      padding ??= ' '.repeat(deepestIndent(text) + 1);
      const begin = beginOfLine(source, error.mark.position);
      source = source.slice(0, begin) + padding + source.slice(begin);
    }
  }
}

function beginOfLine(source: string, position: number): number {
  return Math.max(source.lastIndexOf('\n', position - 1), source.lastIndexOf('\r', position - 1)) + 1;
}

const INDENTS = /^ */gm;

function deepestIndent(text: string): number {
  return (text.match(INDENTS) ?? []).reduce((most, indent) => Math.max(most, indent.length), 0);
}
