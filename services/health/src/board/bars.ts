import { minuteState } from '../history/history.ts';
import { type Html, html } from './html.ts';

const WORDS = {
  [minuteState.nothing]: 'none',
  [minuteState.ok]: 'ok',
  [minuteState.degraded]: 'degraded',
  [minuteState.failing]: 'failing',
};
/** states differ in height as well as in colour */
const HEIGHTS = {
  [minuteState.nothing]: 2,
  [minuteState.ok]: 8,
  [minuteState.degraded]: 12,
  [minuteState.failing]: 16,
};
const WIDTH = 4;
const HEIGHT = 16;

/** Draws states over time, oldest first, as bars that need no script, with the same content as text. */
export function stateBars(states: readonly number[], span: string): Html {
  const bars = runsOf(states).map(({ state, from, to }) => {
    const name = WORDS[state as keyof typeof WORDS];
    const height = HEIGHTS[state as keyof typeof HEIGHTS];
    const width = (to - from) * WIDTH - 1;
    return html`<rect class="bar-${name}" x="${from * WIDTH}" y="${HEIGHT - height}" width="${width}" height="${height}"/>`;
  });
  return drawing(bars, states.length, `${span}: ${summary(states)}`);
}

/** Joins equal neighbours to one bar, because a page has hundreds of drawings, and states rarely change. */
function runsOf(states: readonly number[]): Array<{ state: number; from: number; to: number }> {
  const runs: Array<{ state: number; from: number; to: number }> = [];
  for (const [i, state] of states.entries()) {
    const last = runs.at(-1);
    if (last?.state === state) last.to = i + 1;
    else runs.push({ state, from: i, to: i + 1 });
  }
  return runs;
}

function summary(states: readonly number[]): string {
  const count = (state: number) => states.filter((one) => one === state).length;
  const known = states.length - count(minuteState.nothing);
  if (known === 0) return 'no data';
  const counts = [
    [count(minuteState.failing), 'failing'],
    [count(minuteState.degraded), 'degraded'],
  ] as const;
  const bad = counts.filter(([many]) => many > 0).map(([many, name]) => `${name} in ${many}`);
  return bad.length === 0 ? `ok in all ${known} with data` : `${bad.join(', ')} of ${known} with data`;
}

/** Draws amounts over time; the largest is as high as the drawing. */
export function amountBars(amounts: readonly number[], span: string, unit: string): Html {
  const largest = Math.max(0, ...amounts);
  const bars = amounts.flatMap((amount, i) => {
    if (amount === 0) return [];
    const drawn = Math.max(1, Math.round((amount / largest) * HEIGHT));
    return [
      html`<rect class="bar-amount" x="${i * WIDTH}" y="${HEIGHT - drawn}" width="${WIDTH - 1}" height="${drawn}"/>`,
    ];
  });
  const maximum = largest === 0 ? 'no data' : `at most ${largest.toFixed(largest < 10 ? 1 : 0)} ${unit}`;
  return drawing(bars, amounts.length, `${span}: ${maximum}`);
}

function drawing(bars: readonly Html[], count: number, label: string): Html {
  const width = count * WIDTH;
  return html`<svg class="bars" role="img" aria-label="${label}" viewBox="0 0 ${width} ${HEIGHT}" width="${width}" height="${HEIGHT}"><title>${label}</title>${bars}</svg>`;
}
