/**
 * A page of documentation with a terminal session in it: blocks fenced as `console`, where lines that begin with `$ `
 * are commands and the lines below each are what it printed. A block fenced as `console background` holds one command
 * that goes on while the rest of the page is read, in a second terminal.
 */
export interface Step {
  command: string;
  output: string;
  background: boolean;
}

const BLOCK = /^```console( background)?\n([\s\S]*?)^```$/gm;

export function stepsOf(page: string): Step[] {
  const steps: Step[] = [];
  for (const [, background, text = ''] of page.matchAll(BLOCK)) {
    for (const part of text.split(/^\$ /m).slice(1)) {
      const end = part.indexOf('\n');
      steps.push({ command: part.slice(0, end), output: part.slice(end + 1), background: background !== undefined });
    }
  }
  return steps;
}

/** Puts what commands printed into the page. */
export function pageWith(page: string, outputs: readonly string[]): string {
  let next = 0;
  return page.replace(BLOCK, (_, background: string | undefined, text: string) => {
    const parts = text.split(/^\$ /m).slice(1);
    const body = parts
      .map((part) => `$ ${part.slice(0, part.indexOf('\n'))}\n${ended(outputs[next++] ?? '')}`)
      .join('');
    return `\`\`\`console${background ?? ''}\n${body}\`\`\``;
  });
}

function ended(output: string): string {
  return output === '' || output.endsWith('\n') ? output : `${output}\n`;
}

/** What differs from run to run, and the spaces that follow from it. */
export function normalized(output: string): string {
  return (
    output
      .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'UID')
      .replace(/\b(\d+[smhd])+\b/g, 'AGE')
      .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, 'TIME')
      .replace(/resourceVersion: "\d+"/g, 'resourceVersion: "N"')
      // as kubectl says it from 1.34 on
      .replace(/ deleted from \S+ namespace$/gm, ' deleted')
      .replace(/[ \t]+/g, ' ')
      .trim()
  );
}
