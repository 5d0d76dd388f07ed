import { execFileSync, fork } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startTidegate } from '@tidegate/testkit';
import type { FloodJob, Sender, Sent } from './process.ts';
import { prepareCluster, type Setting } from './setting.ts';

/**
 * Measures the effect of a flood on other clients. The system has one core, the generators have another. Other clients
 * send at a fixed rate before and during the flood, and their latencies are compared.
 */
const PROCESS = fileURLToPath(new URL('process.ts', import.meta.url));
const SECONDS = Number(process.env.FLOOD_SECONDS ?? 5);
const ROUNDS = Number(process.env.FLOOD_ROUNDS ?? 4);
/** ten times as many connections as saturate the server; each sends its next request after an answer */
const FLOOD_CONNECTIONS = Number(process.env.FLOOD_CONNECTIONS ?? 320);

/** for comparison: without priority and fairness, only with the maximum numbers of requests in flight */
const isPlain = process.argv.includes('--plain');
const PLAIN = { TIDEGATE_ENABLE_PRIORITY_AND_FAIRNESS: 'false' };

pin(0);
const tokens = join(import.meta.dirname, `.tokens-${process.pid}.csv`);
const system = await startWithUsers();
pin(1);
try {
  const setting = await prepareCluster(system);
  const others = (seconds: number) =>
    send({ server: system.server, senders: othersOf(setting), seconds, isLowPriority: false });
  await others(5);
  for (const flood of floodsOf(setting)) {
    const [calm, flooded, answers] = [newTally(), newTally(), newTally()];
    // calm and flooded rounds alternate, because the speed of the machine varies
    for (let round = 0; round < ROUNDS; round++) {
      merge(calm, await others(SECONDS));
      const { promise: begun, resolve } = Promise.withResolvers<void>();
      const job = { server: system.server, senders: [flood], seconds: SECONDS + 3, isLowPriority: true };
      const flooding = send(job, resolve);
      await begun;
      await pause(2000);
      merge(flooded, await others(SECONDS));
      merge(answers, await flooding);
      await pause(1000);
    }
    printResult(flood.name, { calm, flooded, answers });
  }
} finally {
  await system.stop();
}

/** Pins all threads of this process, and later child processes, to a core. */
function pin(core: number): void {
  execFileSync('taskset', ['-acp', String(core), String(process.pid)], { stdio: 'ignore' });
}

async function startWithUsers() {
  const lines = [
    'noisy,noisy,1',
    'ann,ann,2',
    'node,system:node:n1,3,"system:nodes"',
    'leader,system:kube-scheduler,4',
  ];
  writeFileSync(tokens, `${lines.map((line) => line.replace(/^(\w+)/, '$1-token')).join('\n')}\n`);
  try {
    return await startTidegate({ args: ['--token-auth-file', tokens], env: isPlain ? PLAIN : {} });
  } finally {
    execFileSync('rm', ['-f', tokens]);
  }
}

function othersOf({ node, lease }: Setting): Sender[] {
  const paced = { connections: 1, rate: 40 };
  return [
    {
      name: "another user's GETs",
      token: 'ann-token',
      method: 'GET',
      path: '/api/v1/namespaces/calm/configmaps/one',
      ...paced,
    },
    { name: "a leader's lease updates", token: 'leader-token', method: 'PATCH', ...lease, ...paced },
    { name: "a node's status updates", token: 'node-token', method: 'PATCH', ...node, ...paced },
  ];
}

function floodsOf({ account }: Setting): Sender[] {
  const flood = {
    method: 'GET',
    path: '/api/v1/namespaces/noisy/configmaps/one',
    connections: FLOOD_CONNECTIONS,
    rate: 0,
  };
  return [
    { name: 'one noisy user', token: 'noisy-token', ...flood },
    { name: "a namespace's noisy service account", token: account, ...flood },
    { name: 'anonymous clients', token: '', ...flood },
  ];
}

function send(job: FloodJob, begun: () => void = () => {}): Promise<Sent[]> {
  const child = fork(PROCESS, [], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  return new Promise((resolve, reject) => {
    child.on('message', ({ ready, sent, error }: { ready?: true; sent?: Sent[]; error?: string }) => {
      if (ready) return begun();
      child.disconnect();
      if (sent === undefined) reject(new Error(`the generator failed: ${error}`));
      else resolve(sent);
    });
    child.on('error', reject);
    child.send(job);
  });
}

type Tally = Map<string, Sent>;

function newTally(): Tally {
  return new Map();
}

function merge(tally: Tally, sent: readonly Sent[]): void {
  for (const { name, latencies, codes } of sent) {
    const before = tally.get(name) ?? { name, latencies: [], codes: {} };
    const all = [...before.latencies, ...latencies].sort((a, b) => a - b);
    for (const [code, count] of Object.entries(codes)) before.codes[code] = (before.codes[code] ?? 0) + count;
    tally.set(name, { name, latencies: all, codes: before.codes });
  }
}

function printResult(what: string, { calm, flooded, answers }: Record<'calm' | 'flooded' | 'answers', Tally>): void {
  const print = (line: string) => process.stdout.write(`${line}\n`);
  const seconds = ROUNDS * (SECONDS + 3);
  const rates = Object.entries([...answers.values()][0]?.codes ?? {}).map(
    ([code, count]) => `${code} ${Math.round(count / seconds)} times a second`,
  );
  print(`\n${what}, answered with ${rates.join(', ')}`);
  for (const { name, latencies: before } of calm.values()) {
    const during = flooded.get(name)?.latencies ?? [];
    const ratio = (part: number) => (at(during, part) / at(before, part)).toFixed(1);
    const pair = (part: number) =>
      `${at(before, part).toFixed(1)} → ${at(during, part).toFixed(1)} ms (${ratio(part)})`;
    print(`  ${name.padEnd(26)} p50 ${pair(0.5).padEnd(24)} p99 ${pair(0.99)}`);
  }
}

function at(sorted: readonly number[], part: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
