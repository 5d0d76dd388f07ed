import type { Measurement } from './measure.ts';

/** A Markdown table, aligned for terminals. */
export function table(head: readonly string[], rows: ReadonlyArray<readonly string[]>): string {
  const widths = head.map((cell, i) => Math.max(cell.length, ...rows.map((row) => (row[i] ?? '').length)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join(' | ')} |`;
  const rule = `| ${widths.map((width, i) => (i === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`)).join(' | ')} |`;
  return [line(head), rule, ...rows.map(line)].join('\n');
}

export function figure(value: number | undefined): string {
  if (value === undefined) return '-';
  return value >= 100 ? String(Math.round(value)) : value.toPrecision(2).replace(/e\+.*/, '');
}

export function resultTable(measurements: readonly Measurement[]): string {
  const rows = measurements.map((m) => [
    m.scenario,
    figure(m.perSecond),
    figure(m.p50),
    figure(m.p99),
    figure(m.cpu),
    Object.entries(m.cpuByProcess)
      .map(([name, cpu]) => `${name} ${figure(cpu)}`)
      .join(', '),
    String(m.memoryMib),
  ]);
  return table(['operation', 'operations/s', 'p50 ms', 'p99 ms', 'CPU us/op', 'of which', 'memory MiB'], rows);
}

/** Our figures divided by the peer's: less is better for CPU and latency, more for the rate. */
export function ratioTable(ours: readonly Measurement[], peers: readonly Measurement[]): string {
  const rows = ours.flatMap((mine) => {
    const theirs = peers.find((one) => one.scenario === mine.scenario);
    if (theirs === undefined) return [];
    const cpu = mine.cpu === undefined || theirs.cpu === undefined ? undefined : mine.cpu / theirs.cpu;
    return [
      [
        mine.scenario,
        figure(mine.cpu),
        figure(theirs.cpu),
        figure(cpu),
        figure(mine.perSecond / theirs.perSecond),
        figure(mine.p50 / theirs.p50),
        figure(mine.p99 / theirs.p99),
      ],
    ];
  });
  return table(['operation', 'CPU us/op', 'peer', 'CPU ratio', 'rate ratio', 'p50 ratio', 'p99 ratio'], rows);
}
