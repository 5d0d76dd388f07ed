import assert from 'node:assert/strict';
import { clean } from '@tidegate/schema';
import { metaOf, prepareCreate, setDefaults, validateMeta } from '../index.ts';
import { kindAt } from './recorded.ts';
import { typicalDeployment } from './typical.ts';

/**
 * Prints the time of decoding a typical Deployment, and of its defaults and validation, in microseconds, the best of
 * several rounds. The goal for the second was 150.
 */
const kind = kindAt('/apis/apps/v1/namespaces/x/deployments');

interface Cost {
  decode: number;
  check: number;
}

/** The CPU time for one object, in microseconds. */
function measure(rounds: number): Cost {
  const decoding = process.cpuUsage();
  const objects = Array.from({ length: rounds }, () => clean(kind.schema, typicalDeployment, 'Deployment').value);
  const decode = process.cpuUsage(decoding);
  const checking = process.cpuUsage();
  for (const object of objects) {
    setDefaults(kind, object);
    prepareCreate(kind, object, { name: 'a', uid: 'b', groups: [] });
    const errors = [...validateMeta(kind.entry, object), ...(kind.entry.validate?.(object) ?? [])];
    assert.equal(errors.length, 0, JSON.stringify([errors, metaOf(object)]));
  }
  const check = process.cpuUsage(checking);
  return { decode: (decode.user + decode.system) / rounds, check: (check.user + check.system) / rounds };
}

for (let i = 0; i < 5; i++) measure(2000);
const costs = Array.from({ length: 5 }, () => measure(1000)).sort((a, b) => a.check - b.check);
// other load on the machine can only make the time longer
const { decode, check } = costs[0] as Cost;
process.stdout.write(`decode ${decode.toFixed(1)} µs, defaults and validation ${check.toFixed(1)} µs\n`);
