import type { SourceFile } from './import-rules.ts';

/**
 * Errors that are swallowed. Such a place has a comment that says which error it is, and why that is right.
 *
 *   catch { ... }                   the comment is the first thing in the block
 *   catch (error) { ... }           so too, where the block never looks at the error
 *   .catch(() => ...)               the comment is on the line before the statement, or on the same line
 *   .on('error', () => {})          so too
 */
const BLOCK = /\bcatch\s*(?:\((\w+)(?::[^)]*)?\)\s*)?\{/g;
const CALL = /\.catch\(\s*(?:async\s*)?\(\s*_?\w*\s*\)\s*=>\s*(?:\{\s*\}|undefined|null|false|[^{\s(]\S*)/g;
const NAMED_PARAMETER = /\.catch\(\s*(?:async\s*)?\(\s*[a-zA-Z]\w*\s*\)/;
const LISTENER = /\.on(?:ce)?\(\s*'error',\s*\(\)\s*=>\s*(?:\{\s*\}|undefined)\s*\)/g;
const COMMENT = /^\s*(?:\/\/|\/\*|\*)/;

/** One line for each place where an error is swallowed without a word. */
export function swallowedErrors(files: readonly SourceFile[]): string[] {
  return files.filter(({ path }) => isJudged(path)).flatMap(({ path, text }) => inFile(path, text));
}

/** Tests may expect what they like. */
function isJudged(path: string): boolean {
  return /^(?:packages|programs|services)\//.test(path) && !/\.(?:test|bench)\.ts$/.test(path);
}

function inFile(path: string, text: string): string[] {
  const lines = text.split('\n');
  const told = (at: number, what: string) =>
    `${path}:${lineOf(text, at) + 1}: ${what} swallows an error: name the error, or say in a comment which it is and why`;
  const blocks = [...text.matchAll(BLOCK)]
    .filter((match) => !isInComment(lines, lineOf(text, match.index)))
    .filter((match) => !isBlockGood(text, match))
    .map((match) => told(match.index, 'a catch'));
  const calls = [...text.matchAll(CALL), ...text.matchAll(LISTENER)]
    .filter(([call]) => !NAMED_PARAMETER.test(call))
    .filter((match) => !isExplained(lines, lineOf(text, match.index)))
    .map((match) => told(match.index, 'a handler'));
  return [...blocks, ...calls];
}

function isBlockGood(text: string, match: RegExpMatchArray): boolean {
  const block = blockAt(text, (match.index ?? 0) + match[0].length);
  if (COMMENT.test(block)) return true;
  const [, name] = match;
  return name !== undefined && new RegExp(`\\b${name}\\b`).test(block);
}

/** The text from after an opening brace to the one that closes it; braces in texts are taken to be in pairs. */
function blockAt(text: string, from: number): string {
  let depth = 1;
  for (let i = from; i < text.length; i++) {
    if (text[i] === '{') depth++;
    else if (text[i] === '}' && --depth === 0) return text.slice(from, i);
  }
  return text.slice(from);
}

/** A comment stands on the line, or directly above the statement that the line belongs to. */
function isExplained(lines: readonly string[], line: number): boolean {
  if (isInComment(lines, line) || (lines[line] ?? '').includes(' // ')) return true;
  let first = line;
  // the beginning of a statement that is written over several lines
  while (first > 0 && /^\s*[.)\]}]/.test(lines[first] ?? '')) first--;
  return COMMENT.test(lines[first - 1] ?? '');
}

function isInComment(lines: readonly string[], line: number): boolean {
  return COMMENT.test(lines[line] ?? '');
}

function lineOf(text: string, at: number): number {
  return text.slice(0, at).split('\n').length - 1;
}
