/** An error in an expression. */
export interface Issue {
  readonly at: number;
  readonly message: string;
}

/** Thrown if the parser cannot continue. */
export class SyntaxIssue extends Error {
  readonly issue: Issue;

  constructor(at: number, message: string) {
    super(message);
    this.issue = { at, message: `Syntax error: ${message}` };
  }
}

const MAX_SNIPPET_LENGTH = 16_384;

/** the same limit as in Kubernetes */
const MAX_ISSUES = 100;
/** A limit of all texts together, because each issue shows its whole line. */
const MAX_TEXT_LENGTH = 64 << 10;

/** Formats issues: position, message, and the line with a marker below it. */
export function issuesText(source: string, issues: readonly Issue[]): string {
  const shown: string[] = [];
  let length = 0;
  for (const issue of issues.toSorted((a, b) => a.at - b.at)) {
    if (shown.length === MAX_ISSUES || length > MAX_TEXT_LENGTH) break;
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
  if (characters.length > MAX_SNIPPET_LENGTH) return head;
  const dots = characters.slice(0, column).map((character) => (isWide(character) ? '．' : '.'));
  const mark = isWide(characters[column] ?? '') ? '＾' : '^';
  return `${head}\n | ${characters.join('')}\n | ${dots.join('')}${mark}`;
}

function isWide(character: string): boolean {
  return (character.codePointAt(0) ?? 0) > 127;
}
