/**
 * A page of documentation with a terminal session: in blocks fenced as `console`, lines that begin with `$ ` are
 * commands, and the lines below each are its output. A block fenced as `console background` has one command, which
 * keeps running in a second terminal.
 */
export interface Step {
  command: string;
  output: string;
  background: boolean;
}

const BLOCK = /^```console( background)?\n([\s\S]*?)^```$/gm;

export function parseSteps(page: string): Step[] {
  const steps: Step[] = [];
  for (const [, background, text = ''] of page.matchAll(BLOCK)) {
    for (const part of text.split(/^\$ /m).slice(1)) {
      const end = part.indexOf('\n');
      steps.push({ command: part.slice(0, end), output: part.slice(end + 1), background: background !== undefined });
    }
  }
  return steps;
}

/** Replaces the outputs in the page. */
export function withOutputs(page: string, outputs: readonly string[]): string {
  let next = 0;
  return page.replace(BLOCK, (_, background: string | undefined, text: string) => {
    const parts = text.split(/^\$ /m).slice(1);
    const body = parts
      .map((part) => `$ ${part.slice(0, part.indexOf('\n'))}\n${withNewline(outputs[next++] ?? '')}`)
      .join('');
    return `\`\`\`console${background ?? ''}\n${body}\`\`\``;
  });
}

function withNewline(output: string): string {
  return output === '' || output.endsWith('\n') ? output : `${output}\n`;
}

/** Replaces the parts of an output that differ from run to run, and the resulting spaces. */
export function normalized(output: string): string {
  return (
    output
      .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'UID')
      .replace(/\b(\d+[smhd])+\b/g, 'AGE')
      .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, 'TIME')
      .replace(/resourceVersion: "\d+"/g, 'resourceVersion: "N"')
      // printed by kubectl from 1.34 on
      .replace(/ deleted from \S+ namespace$/gm, ' deleted')
      .replace(/[ \t]+/g, ' ')
      .trim()
  );
}
