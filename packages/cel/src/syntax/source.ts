/** One thing that is wrong with an expression. */
export interface Issue {
  readonly at: number;
  readonly message: string;
}

/** Thrown where an expression cannot be read on. */
export class SyntaxIssue extends Error {
  readonly issue: Issue;

  constructor(at: number, message: string) {
    super(message);
    this.issue = { at, message: `Syntax error: ${message}` };
  }
}

const LONGEST_SNIPPET = 16_384;

/** As in Kubernetes. */
const MOST_ISSUES = 100;
/** Each issue shows its whole line: of long lines fewer are shown. */
const LONGEST_TEXT = 64 << 10;

/** Issues as people read them: where, what, and the line with a mark below it. */
export function issuesText(source: string, issues: readonly Issue[]): string {
  const shown: string[] = [];
  let length = 0;
  for (const issue of issues.toSorted((a, b) => a.at - b.at)) {
    if (shown.length === MOST_ISSUES || length > LONGEST_TEXT) break;
    const text = issueText(source, issue);
    shown.push(text);
    length += text.length;
  }
  const rest = issues.length - shown.length;
  return [...shown, ...(rest === 0 ? [] : [`${rest} more errors were truncated`])].join('\n');
}

function issueText(source: string, { at, message }: Issue): string {
  const before = source.slice(0, at);
  const begin = before.lastIndexOf('\n') + 1;
  const line = before.split('\n').length;
  const column = [...before.slice(begin)].length;
  const head = `ERROR: <input>:${line}:${column + 1}: ${message}`;
  const end = source.indexOf('\n', begin);
  const characters = [...source.slice(begin, end < 0 ? undefined : end).replaceAll('\t', ' ')];
  if (characters.length > LONGEST_SNIPPET) return head;
  const dots = characters.slice(0, column).map((character) => (isWide(character) ? '．' : '.'));
  const mark = isWide(characters[column] ?? '') ? '＾' : '^';
  return `${head}\n | ${characters.join('')}\n | ${dots.join('')}${mark}`;
}

function isWide(character: string): boolean {
  return (character.codePointAt(0) ?? 0) > 127;
}
