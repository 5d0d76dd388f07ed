import assert from 'node:assert/strict';
import { clean } from '@tidegate/schema';
import { metaOf, prepareCreate, setDefaults, validateMeta } from '../index.ts';
import { kindAt } from './recorded.ts';
import { typicalDeployment } from './typical.ts';

/**
 * What it costs to decode a typical Deployment, and to give it its defaults and validate it. Prints microseconds, the best
 * of several rounds; 150 for the second was the aim.
 */
const kind = kindAt('/apis/apps/v1/namespaces/x/deployments');

interface Cost {
  decode: number;
  check: number;
}

/** Microseconds of this process's processor for one object. */
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
// whatever else the machine does makes it more, and nothing makes it less
const { decode, check } = costs[0] as Cost;
process.stdout.write(`decode ${decode.toFixed(1)} µs, defaults and validation ${check.toFixed(1)} µs\n`);
