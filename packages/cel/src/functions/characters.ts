import type { Meter } from '../values/meter.ts';

/**
 * Strings are measured in code points; JavaScript uses one or two units for each. The sizes of long strings are cached.
 */
const LONG = 1000;
const MAX_KNOWN = 8;
const known = new Map<string, number>();

export function textSize(text: string): number {
  if (text.length < LONG) return counted(text);
  let size = known.get(text);
  if (size === undefined) {
    if (known.size >= MAX_KNOWN) known.clear();
    size = counted(text);
    known.set(text, size);
  }
  return size;
}

function counted(text: string): number {
  let size = text.length;
  for (let i = 0; i < text.length - 1; i++) {
    if ((text.charCodeAt(i) & 0xfc00) === 0xd800 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00) size--;
  }
  return size;
}

/** Whether every unit is a character. */
export function isPlain(text: string): boolean {
  return textSize(text) === text.length;
}

/** Iterating over characters takes this many times as long as iterating over units. */
const SLOWER = 40;

export function spread(text: string, meter: Meter): string[] {
  meter.read(text.length * SLOWER);
  return [...text];
}

export function part(text: string, { from, to, meter }: { from: number; to: number; meter: Meter }): string {
  return isPlain(text) ? text.slice(from, to) : spread(text, meter).slice(from, to).join('');
}

/** The index in units of a character; `characterAt` is the inverse. */
export function unitOf(text: string, character: number, meter: Meter): number {
  return isPlain(text) ? character : spread(text, meter).slice(0, character).join('').length;
}

export function characterAt(text: string, unit: number, meter: Meter): number {
  return isPlain(text) ? unit : spread(text.slice(0, unit), meter).length;
}
