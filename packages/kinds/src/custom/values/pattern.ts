import { RE2JS, RE2JSException } from 're2js';

const MOST_KEPT = 1000;
/** what was compiled, or in words why it cannot be */
const kept = new Map<string, RE2JS | string>();

/**
 * Whether a text matches a pattern of somebody's definition; undefined where the pattern is none. Patterns are RE2's, whose
 * matching takes time in proportion to the text whatever the pattern is: JavaScript's own could be made to hang.
 */
export function matchesPattern(pattern: string, text: string): boolean | undefined {
  const compiled = compiledOf(pattern);
  return typeof compiled === 'string' ? undefined : compiled.test(text);
}

/** What is wrong with a pattern, in words; undefined when nothing is. */
export function patternProblem(pattern: string): string | undefined {
  const compiled = compiledOf(pattern);
  return typeof compiled === 'string' ? compiled : undefined;
}

/** A definition says the same pattern many times, and so do its versions. */
function compiledOf(pattern: string): RE2JS | string {
  const known = kept.get(pattern);
  if (known !== undefined) return known;
  if (kept.size >= MOST_KEPT) kept.clear();
  const compiled = compile(pattern);
  kept.set(pattern, compiled);
  return compiled;
}

function compile(pattern: string): RE2JS | string {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    return error.message;
  }
}
