import { inspect } from 'node:util';
import { costOfFile } from './cost.ts';
import type { FromLane } from './messages.ts';

interface TestEvent {
  readonly name: string;
  readonly nesting: number;
  readonly skip?: string | true;
  readonly details: {
    readonly type?: string;
    readonly error?: { readonly cause?: unknown };
  };
}

/** Sends the result of each test of this process to the run, and the end of each file. */
// biome-ignore lint/style/noDefaultExport: Node takes a reporter by its default export
export default async function* report(
  events: AsyncIterable<{ type: string; data: TestEvent }>,
): AsyncGenerator<string> {
  for await (const { type, data } of events) {
    const passes = type === 'test:pass';
    if (!passes && type !== 'test:fail') continue;
    const message = passes ? passed(data) : failed(data);
    if (message !== undefined) process.send?.(message);
    if (data.nesting === 0) {
      const done: FromLane = { kind: 'done', cost: costOfFile() };
      process.send?.(done);
    }
    yield '';
  }
}

function passed({ name, skip, details }: TestEvent): FromLane {
  const isGroup = details.type === 'suite';
  if (skip !== undefined) return { kind: 'skipped', name, reason: skip === true ? 'no reason given' : skip, isGroup };
  return { kind: 'passed', name, isGroup };
}

/** A suite that fails because of its tests is not counted again; otherwise its own hooks failed. */
function failed({ name, details }: TestEvent): FromLane | undefined {
  const cause = details.error?.cause ?? details.error;
  if (details.type === 'suite' && /subtests? failed/.test(String(cause))) return undefined;
  return { kind: 'failed', name, error: short(inspect(cause)) };
}

const MAX_CHARACTERS = 8000;

function short(text: string): string {
  return text.length <= MAX_CHARACTERS
    ? text
    : `${text.slice(0, MAX_CHARACTERS)}\n... ${text.length} characters in all`;
}
