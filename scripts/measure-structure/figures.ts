import { specifiersOf } from '../import-rules.ts';

export interface Source {
  /** relative to the measured folder */
  readonly path: string;
  readonly text: string;
}

export interface Figures {
  readonly files: number;
  readonly lines: number;
  readonly medianLines: number;
  readonly largest: { readonly path: string; readonly lines: number };
  /** files of fewer than 20 lines */
  readonly tiny: readonly string[];
  /** rooms by the number of their files */
  readonly rooms: ReadonlyMap<string, number>;
  /** imports from one room to another, by `room -> room` */
  readonly arrows: ReadonlyMap<string, number>;
}

const TINY_LINES = 20;

/** Measures the structure of one service, package or program, without tests. */
export function figuresOf(sources: readonly Source[]): Figures {
  const code = sources.filter(({ path }) => !/\.(?:test|bench)\.ts$|(?:^|\/)(?:testing|generated)\//.test(path));
  const sizes = code.map(({ path, text }) => ({ path, lines: text.split('\n').length - 1 }));
  sizes.sort((a, b) => a.lines - b.lines);
  return {
    files: sizes.length,
    lines: sizes.reduce((sum, { lines }) => sum + lines, 0),
    medianLines: sizes[Math.floor(sizes.length / 2)]?.lines ?? 0,
    largest: sizes.at(-1) ?? { path: '', lines: 0 },
    tiny: sizes.filter(({ lines }) => lines < TINY_LINES).map(({ path }) => path),
    rooms: counted(code.map(({ path }) => roomOf(path))),
    arrows: counted(code.flatMap(arrowsOf)),
  };
}

function arrowsOf({ path, text }: Source): string[] {
  const own = roomOf(path);
  const imported = specifiersOf(text).filter((specifier) => specifier.startsWith('.'));
  const rooms = new Set(imported.map((specifier) => roomOf(new URL(specifier, `file:///${path}`).pathname.slice(1))));
  return [...rooms].filter((room) => room !== own).map((room) => `${own} -> ${room}`);
}

function roomOf(path: string): string {
  const [room = ''] = path.split('/');
  return room;
}

function counted(names: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}
