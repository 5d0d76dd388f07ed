import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { memoryBytes } from '@tidegate/local';
import { type RunningSystem, runningSystem } from '../../support/running-system.ts';
import { AttackTarget } from '../attack-target.ts';
import { ATTACKS, type Attack } from './attacks.ts';
import { Bystander } from './bystander.ts';

const LIMIT_MIB = 600;
const KEPT = '/api/v1/namespaces/default/configmaps/kept';

/** The permissions of mallory in all namespaces. */
const PERMISSIONS = [
  { verbs: ['*'], apiGroups: [''], resources: ['pods', 'configmaps'] },
  { verbs: ['create'], apiGroups: ['rbac.authorization.k8s.io'], resources: ['roles', 'clusterroles'] },
  { verbs: ['create'], apiGroups: ['apiextensions.k8s.io'], resources: ['customresourcedefinitions'] },
];
/** Further permissions of mallory where every kind is attacked. */
const ALL_KINDS_PERMISSIONS = [{ verbs: ['create', 'patch'], apiGroups: ['*'], resources: ['*'] }];

interface SuiteOptions {
  /** the longest permitted time for an answer to the bystander */
  readonly slowestMs?: number;
  /** the most processor time for one turn of the event loop; turns below 250 ms are not reported */
  readonly maxHeldMs?: number;
  readonly attacks?: readonly Attack[];
}

/**
 * Runs attacks, one after another, while a bystander reads and watches. Turns of the event loop are measured in
 * processor time, which other load on the machine does not change.
 */
export function bystanderSuite({
  slowestMs = Number.POSITIVE_INFINITY,
  maxHeldMs = 250,
  attacks = ATTACKS,
}: SuiteOptions = {}): void {
  describe('Attacks do not delay other clients', () => {
    let system: RunningSystem;
    let target: AttackTarget;
    let bystander: Bystander;
    const turnsHeld = () => heldTurns(system);
    const send = ({ method, path, body, contentType = 'application/json', accept }: ReturnType<Attack['request']>) => {
      const whole = path.startsWith('/') ? path : `/api/v1/namespaces/own/${path}`;
      const headers = { 'Content-Type': contentType, ...(accept === undefined ? {} : { Accept: accept }) };
      return target.request(method, whole, { ...(body.length > 0 ? { body } : {}), headers });
    };
    before(async () => {
      system = await runningSystem();
      target = await AttackTarget.over(system);
      await target.allow(attacks === ATTACKS ? PERMISSIONS : [...PERMISSIONS, ...ALL_KINDS_PERMISSIONS], 'everywhere');
      await target.make('/api/v1/namespaces/default/configmaps', { metadata: { name: 'kept' } });
      const { server, caFile, token } = system.tidegate;
      const controlUrl = `http://${system.tidegate.part('health').opsAddress}/livez`;
      bystander = await Bystander.start({ server, caFile, token, path: KEPT, controlUrl });
    });
    after(async () => {
      await bystander?.stop();
      await target?.close();
    });

    for (const { title, before: prepare, request, times = 1, atOnce = 1 } of attacks) {
      test(`Other clients are not delayed by ${title}.`, async (t) => {
        if (prepare !== undefined) assert.equal((await send(prepare())).code, 201);
        const hostile = request();
        await bystander.observation();
        const before = turnsHeld().length;
        const codes: number[] = [];
        for (let i = 0; i < times; i++) {
          const replies = await Promise.all(Array.from({ length: atOnce }, () => send(hostile)));
          codes.push(...replies.map(({ code }) => code));
        }
        const observed = await bystander.observation();
        const mib = Math.round(memoryBytes(system.tidegate.pid('gateway')) / 2 ** 20);
        const [slowest, control] = [observed.slowestMs, observed.slowestControlMs].map(Math.round);
        t.diagnostic(`${codes.join()}; slowest answer ${slowest} ms, control ${control} ms; ${mib} MiB`);
        assert.deepEqual(observed.failures, []);
        assert.ok(
          codes.every((code) => code < 500),
          codes.join(),
        );
        const held = Math.max(0, ...turnsHeld().slice(before));
        assert.ok(held <= maxHeldMs, `the event loop was blocked for ${held} ms; see the log of the gateway`);
        assert.ok(observed.slowestMs < slowestMs, `an answer took ${observed.slowestMs} ms`);
        assert.ok(mib < LIMIT_MIB, `the gateway uses ${mib} MiB`);
      });
    }
  });
}

/** The durations of the slow turns of the event loop that the gateway logged. */
export function heldTurns({ tidegate }: RunningSystem): number[] {
  const lines = readFileSync(join(tidegate.dataDir, 'logs/gateway.log'), 'utf8').split('\n');
  return lines
    .filter((line) => line.includes('"heldMs"'))
    .map((line) => (JSON.parse(line) as { heldMs: number }).heldMs);
}
