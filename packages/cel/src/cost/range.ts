/** The bounds of a size or a cost. */
export interface Range {
  readonly min: number;
  readonly max: number;
}

/** The largest number; it means "without a bound". */
export const MAX_COST = 2 ** 64;

const capped = (value: number): number => Math.min(value, MAX_COST);
/** Zero times "without a bound" is zero. */
const times = (a: number, b: number): number => (a === 0 || b === 0 ? 0 : capped(a * b));

export const fixed = (value: number): Range => ({ min: value, max: value });
export const UNKNOWN: Range = { min: 0, max: MAX_COST };

export const add = (a: Range, b: Range): Range => ({ min: capped(a.min + b.min), max: capped(a.max + b.max) });
export const multiply = (a: Range, b: Range): Range => ({ min: times(a.min, b.min), max: times(a.max, b.max) });
export const union = (a: Range, b: Range): Range => ({ min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) });
export const sum = (ranges: readonly Range[]): Range => ranges.reduce(add, fixed(0));

/** A price for each unit, rounded up. */
export function by({ min, max }: Range, factor: number): Range {
  return { min: Math.ceil(times(min, factor)), max: Math.ceil(times(max, factor)) };
}
