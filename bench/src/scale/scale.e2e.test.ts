import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readOptions } from '@tidegate/options';
import { whyNoNats } from '@tidegate/testkit';
import { measurements } from './measurements.ts';
import { scaleOptions } from './options.ts';

const SMALL = ['--objects=30,60', '--scale=0.005', '--watches=20', '--connections=2'];
const SHORT = ['--leases=600', '--renewals=400', '--seconds=1'];

describe('The measurements of scale', { skip: (await whyNoNats()) ?? false }, () => {
  for (const [name, measure] of Object.entries(measurements)) {
    test(`${name} are measured at a small size`, async () => {
      const lines: string[] = [];
      await measure(readOptions(scaleOptions, [...SMALL, ...SHORT], {}), (line) => lines.push(line));
      const columns = lines.map((line) => line.split(' | ').length);
      assert.ok(lines.length > 2 && new Set(columns).size === 1, lines.join('\n'));
      assert.doesNotMatch(lines.join('\n'), /NaN|undefined|Infinity/);
    });
  }
});
