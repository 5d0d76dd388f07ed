import assert from 'node:assert/strict';

export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
  readonly exemplar: string | undefined;
}

export interface Family {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  readonly samples: Sample[];
}

type Format = 'plain' | 'open';

const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/y;
const SAMPLE = /^([^\s{]+)(?:\{(.*?)\})? (\S+)(?: # (\{.*\} \S+ \S+))?$/;
const EXEMPLAR = /^\{trace_id="[0-9a-f]{32}"\} [0-9.e-]+ [0-9.]+$/;
const NUMBER = /^([+-]?\d+(\.\d+)?(e[+-]?\d+)?|[+-]Inf|NaN|Nan)$/;
const TYPES = {
  plain: ['counter', 'gauge', 'histogram', 'summary'],
  open: ['counter', 'gauge', 'histogram', 'unknown'],
};
const SUFFIXES: Readonly<Record<string, readonly string[]>> = {
  histogram: ['_bucket', '_sum', '_count'],
  summary: ['', '_sum', '_count'],
};

/** Parses metrics strictly; fails for everything that the format does not allow. */
export function parseExposition(text: string, format: Format): Map<string, Family> {
  const families = new Map<string, Family>();
  const lines = text.split('\n');
  assert.equal(lines.pop(), '', 'the last line ends with a line break');
  if (format === 'open') assert.equal(lines.pop(), '# EOF');
  const seen = new Set<string>();
  let current: Family | undefined;
  let help: [name: string, text: string] | undefined;
  for (const line of lines) {
    if (line === '' && format === 'plain') continue;
    const comment = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line);
    if (comment === null) {
      assert.ok(current !== undefined, `there is a TYPE before ${line}`);
      const sample = sampleIn(line, current, format);
      const key = JSON.stringify([sample.name, Object.entries(sample.labels).sort()]);
      assert.ok(!seen.has(key), `unique: ${line}`);
      seen.add(key);
      current.samples.push(sample);
      continue;
    }
    const [, sort, name = '', rest = ''] = comment;
    assert.match(name, NAME, line);
    if (sort === 'HELP') {
      help = [name, rest];
      continue;
    }
    assert.equal(help?.[0], name, `HELP comes before TYPE ${name}`);
    assert.ok(TYPES[format].includes(rest), line);
    assert.ok(!families.has(name), `${name} has one block`);
    current = { name, type: rest, help: help?.[1] ?? '', samples: [] };
    families.set(name, current);
  }
  for (const family of families.values()) if (family.type === 'histogram') checkHistogram(family);
  return families;
}

function sampleIn(line: string, family: Family, format: Format): Sample {
  const parts = SAMPLE.exec(line);
  assert.ok(parts !== null, `a sample: ${line}`);
  const [, name = '', labels = '', value = '', exemplar] = parts;
  const counter = format === 'open' && family.type === 'counter' ? ['_total'] : [''];
  const suffixes = SUFFIXES[family.type] ?? counter;
  assert.ok(
    suffixes.some((suffix) => name === family.name + suffix),
    `${name} belongs to ${family.name}`,
  );
  assert.match(value, NUMBER, line);
  if (exemplar !== undefined) {
    assert.equal(format, 'open', line);
    assert.match(exemplar, EXEMPLAR, line);
  }
  return { name, labels: labelsIn(labels, line), value: numberOf(value), exemplar };
}

function labelsIn(text: string, line: string): Record<string, string> {
  const labels: Record<string, string> = {};
  LABEL.lastIndex = 0;
  while (LABEL.lastIndex < text.length) {
    const found = LABEL.exec(text);
    assert.ok(found !== null, `labels: ${line}`);
    const [, name = '', value = ''] = found;
    assert.ok(!Object.hasOwn(labels, name), `the label ${name} is unique: ${line}`);
    labels[name] = value;
  }
  return labels;
}

function numberOf(text: string): number {
  return text.endsWith('Inf') ? Number(text.replace('Inf', 'Infinity')) : Number(text);
}

/** Bounds and counts of buckets must increase, and the last bucket must be +Inf with the total count. */
function checkHistogram({ name, samples }: Family): void {
  const series = new Map<string, Array<[bound: number, value: number]>>();
  const counts = new Map<string, number>();
  for (const sample of samples) {
    const { le, ...labels } = sample.labels;
    const key = JSON.stringify(labels);
    if (sample.name === `${name}_count`) counts.set(key, sample.value);
    if (sample.name !== `${name}_bucket`) continue;
    assert.ok(le !== undefined, `buckets of ${name} have bounds`);
    series.set(key, [...(series.get(key) ?? []), [numberOf(le), sample.value]]);
  }
  assert.equal(counts.size, series.size, name);
  for (const [key, buckets] of series) {
    for (const [i, [bound, value]] of buckets.entries()) {
      const [boundBefore, valueBefore] = buckets[i - 1] ?? [Number.NEGATIVE_INFINITY, 0];
      assert.ok(bound > boundBefore && value >= valueBefore, `${name} ${key} at ${bound}`);
    }
    assert.deepEqual(buckets.at(-1), [Number.POSITIVE_INFINITY, counts.get(key)], `${name} ${key}`);
  }
}
