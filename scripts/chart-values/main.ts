import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tableOf, valuesIn, withTable } from './table.ts';

/** Writes the table of values into the chart's README. */
const chart = join(import.meta.dirname, '../../charts/tidegate');
const page = join(chart, 'README.md');
const table = tableOf(valuesIn(readFileSync(join(chart, 'values.yaml'), 'utf8')));
writeFileSync(page, withTable(readFileSync(page, 'utf8'), table));
