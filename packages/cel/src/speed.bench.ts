import assert from 'node:assert/strict';
import { Environment } from './environment.ts';
import type { Program } from './run/program.ts';
import { intShape, listShape, mapShape, objectShape, stringShape } from './types/shape.ts';
import type { Shape } from './types/type.ts';
import { type Data, fromData } from './values/data.ts';

/** Prints the time to evaluate typical rules, in microseconds, the best of several rounds. The goal was 20. */
const fields = (of: Record<string, Shape>) =>
  new Map(Object.entries(of).map(([name, shape]) => [name, { name, shape }] as const));

const port = objectShape('port', fields({ name: stringShape(63), port: intShape, protocol: stringShape(10) }));
const self = objectShape(
  'self',
  fields({
    replicas: intShape,
    minReplicas: intShape,
    maxReplicas: intShape,
    host: stringShape(253),
    size: stringShape(20),
    labels: mapShape(stringShape(63), 20),
    ports: listShape(port, 20),
  }),
);
const data: Data = {
  replicas: 3,
  minReplicas: 1,
  maxReplicas: 5,
  host: 'www.example.com',
  size: '512Mi',
  labels: { app: 'web', tier: 'front' },
  ports: ['http', 'https', 'admin', 'metrics'].map((name, i) => ({ name, port: 8000 + i, protocol: 'TCP' })),
};

/** Rules as in published definitions. */
const RULES = [
  'self.minReplicas <= self.replicas && self.replicas <= self.maxReplicas',
  "!has(self.host) || self.host.endsWith('.com')",
  'self == oldSelf || self.replicas >= oldSelf.replicas',
  "self.ports.all(p, p.protocol in ['TCP', 'UDP'] && p.port < 65536)",
  "self.ports.exists_one(p, p.name == 'http')",
  "self.host.matches('^[a-z0-9.-]+$')",
  'self.labels.all(key, key.size() < 63)',
  "quantity(self.size).isLessThan(quantity('1Gi'))",
];

const environment = new Environment({ self, oldSelf: self });

function compiled(rule: string): Program {
  const found = environment.compile(rule);
  if (found.kind === 'rejected') throw new Error(found.text);
  return found.program;
}

/** The CPU time of one evaluation in microseconds, including the conversion of the data. */
function measure(program: Program, rounds: number): number {
  const started = process.cpuUsage();
  for (let i = 0; i < rounds; i++) {
    const variables = new Map([
      ['self', () => fromData(data, self)],
      ['oldSelf', () => fromData(data, self)],
    ]);
    const outcome = program.run(variables, 1_000_000);
    assert.ok(outcome.kind === 'value' && outcome.value === true);
  }
  const { user, system } = process.cpuUsage(started);
  return (user + system) / rounds;
}

for (const rule of RULES) {
  const program = compiled(rule);
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 10; round++) best = Math.min(best, measure(program, 3000));
  process.stdout.write(`${best.toFixed(1)} µs: ${rule}\n`);
}
