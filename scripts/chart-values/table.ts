/** A value of the chart: its path, default and description. */
export interface ChartValue {
  readonly path: string;
  readonly usual: string;
  readonly sentence: string;
}

interface Line {
  readonly indent: number;
  readonly key: string;
  readonly text: string;
}

/**
 * The values of a chart in the order of their file. The comment directly above a key is its description. A key without
 * a description only groups others; a key with a description and keys below it is one value.
 */
export function valuesIn(yaml: string): ChartValue[] {
  const found: ChartValue[] = [];
  const path: Line[] = [];
  let comment: string[] = [];
  let whole: { indent: number; lines: string[]; value: ChartValue } | undefined;
  for (const line of [...yaml.split('\n'), 'end:']) {
    const text = line.trim();
    if (text === '' || text.startsWith('#')) {
      comment = text === '' ? [] : [...comment, text.slice(2)];
      continue;
    }
    const parsed = lineOf(line);
    if (parsed === undefined || (whole !== undefined && parsed.indent > whole.indent)) {
      whole?.lines.push(text);
      comment = [];
      continue;
    }
    if (whole !== undefined) found.push({ ...whole.value, usual: whole.lines.join(', ') });
    whole = undefined;
    while ((path.at(-1)?.indent ?? -1) >= parsed.indent) path.pop();
    path.push(parsed);
    const value = { path: path.map(({ key }) => key).join('.'), usual: parsed.text, sentence: comment.join(' ') };
    comment = [];
    if (parsed.text !== '') found.push(value);
    else if (value.sentence !== '' && parsed.indent > 0) whole = { indent: parsed.indent, lines: [], value };
  }
  return found;
}

function lineOf(line: string): Line | undefined {
  const match = /^( *)([A-Za-z][A-Za-z0-9]*):(?: (.*))?$/.exec(line);
  if (match === null) return undefined;
  const [, spaces = '', key = '', text = ''] = match;
  return { indent: spaces.length, key, text };
}

/** The Markdown table for the README. */
export function tableOf(values: readonly ChartValue[]): string {
  const rows = values.map(({ path, usual, sentence }) => {
    const cells = [`\`${path}\``, `\`${usual}\``, sentence];
    return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  });
  return ['| value | usual | meaning |', '|---|---|---|', ...rows].join('\n');
}

const BEGIN = '<!-- values: written by npm run generate:chart-values -->';
const END = '<!-- end of values -->';

/** The page with the new table. */
export function withTable(page: string, table: string): string {
  const [before, rest = ''] = page.split(BEGIN);
  const [, after = ''] = rest.split(END);
  return `${before}${BEGIN}\n${table}\n${END}${after}`;
}
