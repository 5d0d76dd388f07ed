import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { memoryBytes } from '@tidegate/local';
import { type RunningSystem, runningSystem } from '../../support/running-system.ts';
import { Stage } from '../stage.ts';
import { ATTACKS, type Attack } from './attacks.ts';
import { Bystander } from './bystander.ts';

const LIMIT_MIB = 600;
const KEPT = '/api/v1/namespaces/default/configmaps/kept';

/** What mallory may do everywhere. */
const RIGHTS = [
  { verbs: ['*'], apiGroups: [''], resources: ['pods', 'configmaps'] },
  { verbs: ['create'], apiGroups: ['rbac.authorization.k8s.io'], resources: ['roles', 'clusterroles'] },
  { verbs: ['create'], apiGroups: ['apiextensions.k8s.io'], resources: ['customresourcedefinitions'] },
];
/** What she may do to everything, where every kind is attacked: she grants nothing to anybody with it. */
const ALL_RIGHTS = [{ verbs: ['create', 'patch'], apiGroups: ['*'], resources: ['*'] }];

interface SuiteOptions {
  /** the longest that the bystander may have waited for an answer */
  readonly slowestMs?: number;
  /** the most processor time that one turn of the event loop may have taken; what takes less than 250 ms is not known */
  readonly mostHeldMs?: number;
  readonly attacks?: readonly Attack[];
}

/**
 * Attacks, one after another, while somebody else reads and watches. What one turn of the event loop takes is measured in
 * processor time, whatever else this machine does.
 */
export function bystanderSuite({
  slowestMs = Number.POSITIVE_INFINITY,
  mostHeldMs = 250,
  attacks = ATTACKS,
}: SuiteOptions = {}): void {
  describe('Who reads and watches is not kept waiting by', () => {
    let system: RunningSystem;
    let stage: Stage;
    let bystander: Bystander;
    const holds = () => heldMs(join(system.tidegate.dataDir, 'logs/gateway.log'));
    const send = ({ method, path, body, contentType = 'application/json', accept }: ReturnType<Attack['request']>) => {
      const whole = path.startsWith('/') ? path : `/api/v1/namespaces/own/${path}`;
      const headers = { 'Content-Type': contentType, ...(accept === undefined ? {} : { Accept: accept }) };
      return stage.ask(method, whole, { ...(body.length > 0 ? { body } : {}), headers });
    };
    before(async () => {
      system = await runningSystem();
      stage = await Stage.over(system);
      await stage.allow(attacks === ATTACKS ? RIGHTS : [...RIGHTS, ...ALL_RIGHTS], 'everywhere');
      await stage.make('/api/v1/namespaces/default/configmaps', { metadata: { name: 'kept' } });
      const { server, caFile, token } = system.tidegate;
      const elsewhere = `http://${system.tidegate.part('health').opsAddress}/livez`;
      bystander = await Bystander.begin({ server, caFile, token, path: KEPT, elsewhere });
    });
    after(async () => {
      await bystander?.end();
      await stage?.close();
    });

    for (const { title, before: prepare, request, times = 1, atOnce = 1 } of attacks) {
      test(title, async (t) => {
        if (prepare !== undefined) assert.equal((await send(prepare())).code, 201);
        const hostile = request();
        await bystander.saw();
        const before = holds().length;
        const codes: number[] = [];
        for (let i = 0; i < times; i++) {
          const replies = await Promise.all(Array.from({ length: atOnce }, () => send(hostile)));
          codes.push(...replies.map(({ code }) => code));
        }
        const seen = await bystander.saw();
        const mib = Math.round(memoryBytes(system.tidegate.pid('gateway')) / 2 ** 20);
        const [slowest, elsewhere] = [seen.slowestMs, seen.slowestElsewhereMs].map(Math.round);
        t.diagnostic(`${codes.join()}; slowest answer ${slowest} ms, elsewhere ${elsewhere} ms; ${mib} MiB`);
        assert.deepEqual(seen.failures, []);
        assert.ok(
          codes.every((code) => code < 500),
          codes.join(),
        );
        const held = Math.max(0, ...holds().slice(before));
        assert.ok(held <= mostHeldMs, `the event loop was held for ${held} ms; the log of the gateway has more`);
        assert.ok(seen.slowestMs < slowestMs, `an answer took ${seen.slowestMs} ms`);
        assert.ok(mib < LIMIT_MIB, `the gateway has ${mib} MiB`);
      });
    }
  });
}

/** How long turns of the event loop took, of those that took too long. */
function heldMs(logFile: string): number[] {
  const lines = readFileSync(logFile, 'utf8').split('\n');
  return lines
    .filter((line) => line.includes('"heldMs"'))
    .map((line) => (JSON.parse(line) as { heldMs: number }).heldMs);
}
