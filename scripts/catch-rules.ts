import type { SourceFile } from './import-rules.ts';

/**
 * Finds swallowed errors. A swallowed error needs a comment that names the error and the reason for ignoring it.
 *
 *   catch { ... }                   the comment is the first line of the block
 *   catch (error) { ... }           the same, if the block does not use the error
 *   .catch(() => ...)               the comment is on the line before the statement, or on the same line
 *   .on('error', () => {})          the same
 */
const BLOCK = /\bcatch\s*(?:\((\w+)(?::[^)]*)?\)\s*)?\{/g;
const CALL = /\.catch\(\s*(?:async\s*)?\(\s*_?\w*\s*\)\s*=>\s*(?:\{\s*\}|undefined|null|false|[^{\s(]\S*)/g;
const NAMED_PARAMETER = /\.catch\(\s*(?:async\s*)?\(\s*[a-zA-Z]\w*\s*\)/;
const LISTENER = /\.on(?:ce)?\(\s*'error',\s*\(\)\s*=>\s*(?:\{\s*\}|undefined)\s*\)/g;
const COMMENT = /^\s*(?:\/\/|\/\*|\*)/;

/** One line for each error that is swallowed without a comment. */
export function swallowedErrors(files: readonly SourceFile[]): string[] {
  return files.filter(({ path }) => isJudged(path)).flatMap(({ path, text }) => inFile(path, text));
}

/** Tests and benchmarks are not checked. */
function isJudged(path: string): boolean {
  return /^(?:packages|programs|services)\//.test(path) && !/\.(?:test|bench)\.ts$/.test(path);
}

function inFile(path: string, text: string): string[] {
  const lines = text.split('\n');
  const violation = (at: number, what: string) =>
    `${path}:${lineOf(text, at) + 1}: ${what} swallows an error: name the error, or say in a comment which it is and why`;
  const blocks = [...text.matchAll(BLOCK)]
    .filter((match) => !isInComment(lines, lineOf(text, match.index)))
    .filter((match) => !isBlockGood(text, match))
    .map((match) => violation(match.index, 'a catch'));
  const calls = [...text.matchAll(CALL), ...text.matchAll(LISTENER)]
    .filter(([call]) => !NAMED_PARAMETER.test(call))
    .filter((match) => !isExplained(lines, lineOf(text, match.index)))
    .map((match) => violation(match.index, 'a handler'));
  return [...blocks, ...calls];
}

function isBlockGood(text: string, match: RegExpMatchArray): boolean {
  const block = blockAt(text, (match.index ?? 0) + match[0].length);
  if (COMMENT.test(block)) return true;
  const [, name] = match;
  return name !== undefined && new RegExp(`\\b${name}\\b`).test(block);
}

/** The text of a block without its braces; braces in strings are assumed to be balanced. */
function blockAt(text: string, from: number): string {
  let depth = 1;
  for (let i = from; i < text.length; i++) {
    if (text[i] === '{') depth++;
    else if (text[i] === '}' && --depth === 0) return text.slice(from, i);
  }
  return text.slice(from);
}

/** Whether a comment is on the line, or directly above the statement that contains the line. */
function isExplained(lines: readonly string[], line: number): boolean {
  if (isInComment(lines, line) || (lines[line] ?? '').includes(' // ')) return true;
  let first = line;
  // go to the first line of the statement
  while (first > 0 && /^\s*[.)\]}]/.test(lines[first] ?? '')) first--;
  return COMMENT.test(lines[first - 1] ?? '');
}

function isInComment(lines: readonly string[], line: number): boolean {
  return COMMENT.test(lines[line] ?? '');
}

function lineOf(text: string, at: number): number {
  return text.slice(0, at).split('\n').length - 1;
}
