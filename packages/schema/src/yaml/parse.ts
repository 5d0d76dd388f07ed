import { type Event, parseEvents, YAMLException } from 'js-yaml';
import { MAX_DEPTH } from '../json/json.ts';

interface Parsed {
  /** the text that the events refer to: it has the lines of the original, some of them moved in */
  readonly source: string;
  readonly events: readonly Event[];
}

/** How much may be parsed again, altogether. */
const MOST_CHARACTERS = 4 << 20;

/**
 * Parses a text that may be YAML 1.1: there the lines within brackets and quotes may begin anywhere, which later versions
 * refuse. Such a line is moved in, which changes nothing of what it says.
 */
export function parse(text: string): Parsed {
  let source = text;
  let padding: string | undefined;
  for (let parsed = 0; ; parsed += source.length) {
    try {
      // what stands innermost counts here, too
      return { source, events: parseEvents(source, { maxDepth: MAX_DEPTH + 1 }) };
    } catch (error) {
      if (!(error instanceof YAMLException) || error.reason !== 'deficient indentation' || error.mark === undefined)
        throw error;
      if (parsed > MOST_CHARACTERS) throw error;
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
