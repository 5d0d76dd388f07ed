import { RE2JS, RE2JSException } from 're2js';

const MAX_KEPT = 1000;
/** the compiled pattern, or its error */
const kept = new Map<string, RE2JS | string>();

/**
 * Whether a text matches the pattern of a definition; undefined for an invalid pattern. Patterns are those of RE2,
 * which match in time proportional to the text. The engine of JavaScript could be blocked by a pattern.
 */
export function matchesPattern(pattern: string, text: string): boolean | undefined {
  const compiled = compiledOf(pattern);
  return typeof compiled === 'string' ? undefined : compiled.test(text);
}

/** The error of a pattern; undefined for a valid one. */
export function patternProblem(pattern: string): string | undefined {
  const compiled = compiledOf(pattern);
  return typeof compiled === 'string' ? compiled : undefined;
}

/** A definition and its versions repeat the same patterns. */
function compiledOf(pattern: string): RE2JS | string {
  const known = kept.get(pattern);
  if (known !== undefined) return known;
  if (kept.size >= MAX_KEPT) kept.clear();
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
