import { posix } from 'node:path';
import { type SourceFile, specifiersOf } from './import-rules.ts';

/** Circles of files that are allowed, each with the reason. The files of an entry are sorted. */
export const allowedCircles: ReadonlyArray<{ readonly files: readonly string[]; readonly why: string }> = [];

/**
 * One line for each circle of files in a package: files that import each other, directly or through others. Imports of
 * types count, too: a reader has to know all files of a circle to understand one of them.
 */
export function circleViolations(files: readonly SourceFile[], allowed = allowedCircles): string[] {
  const circles = circlesOf(files.filter(({ path }) => path.startsWith('packages/'))).map((circle) => circle.sort());
  const isSame = (a: readonly string[], b: readonly string[]) => a.join() === b.join();
  const unknown = circles.filter((circle) => !allowed.some(({ files: known }) => isSame(known, circle)));
  const gone = allowed.filter(({ files: known }) => !circles.some((circle) => isSame(known, circle)));
  return [
    ...unknown.map(
      (circle) =>
        `${circle.join(', ')}: import each other; move what both need into a lower file, or allow it in scripts/circle-rules.ts`,
    ),
    ...gone.map(
      ({ files: known }) =>
        `${known.join(', ')}: do not form a circle any more; remove the entry from scripts/circle-rules.ts`,
    ),
  ];
}

/** The circles of a graph are its strongly connected components with more than one file (Tarjan's algorithm). */
function circlesOf(files: readonly SourceFile[]): string[][] {
  const imports = new Map(files.map((file) => [file.path, importsOf(file)]));
  const indexes = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];
  const circles: string[][] = [];
  const visit = (path: string): number => {
    const index = indexes.size;
    indexes.set(path, index);
    lowest.set(path, index);
    stack.push(path);
    for (const target of imports.get(path) ?? []) {
      if (!imports.has(target)) continue;
      const low = indexes.has(target) ? (stack.includes(target) ? indexes.get(target) : undefined) : visit(target);
      if (low !== undefined) lowest.set(path, Math.min(lowest.get(path) ?? index, low));
    }
    if (lowest.get(path) === index) {
      const circle = stack.splice(stack.indexOf(path));
      if (circle.length > 1) circles.push(circle);
    }
    return lowest.get(path) ?? index;
  };
  for (const { path } of files) if (!indexes.has(path)) visit(path);
  return circles;
}

function importsOf({ path, text }: SourceFile): string[] {
  const own = specifiersOf(text).filter((specifier) => specifier.startsWith('.'));
  return own.map((specifier) => posix.join(posix.dirname(path), specifier));
}
