import { RE2JS, RE2JSException } from 're2js';

const MOST_KEPT = 1000;
const kept = new Map<string, RE2JS | undefined>();

/**
 * Whether a text matches a pattern of somebody's definition; undefined where the pattern is none. Patterns are RE2's, whose
 * matching takes time in proportion to the text whatever the pattern is: JavaScript's own could be made to hang.
 */
export function matchesPattern(pattern: string, text: string): boolean | undefined {
  let compiled = kept.get(pattern);
  if (compiled === undefined && !kept.has(pattern)) {
    if (kept.size >= MOST_KEPT) kept.clear();
    compiled = compile(pattern);
    kept.set(pattern, compiled);
  }
  return compiled?.test(text);
}

function compile(pattern: string): RE2JS | undefined {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    return undefined;
  }
}

/** What is wrong with a pattern, in words; undefined when nothing is. */
export function patternProblem(pattern: string): string | undefined {
  try {
    RE2JS.compile(pattern);
    return undefined;
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    return error.message;
  }
}
