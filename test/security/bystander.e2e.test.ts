import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { memoryBytes } from '@tidegate/local';
import { type RunningSystem, runningSystem } from '../support/running-system.ts';
import { ATTACKS } from './bystander/attacks.ts';
import { Bystander } from './bystander/bystander.ts';
import { Stage } from './stage.ts';

const LIMIT_MS = 250;
const LIMIT_MIB = 600;
const KEPT = '/api/v1/namespaces/default/configmaps/kept';

/** mallory may make these things, in her namespace; definitions she may make as well. */
const RIGHTS = [
  { verbs: ['*'], apiGroups: [''], resources: ['pods', 'configmaps'] },
  { verbs: ['create'], apiGroups: ['rbac.authorization.k8s.io'], resources: ['roles', 'clusterroles'] },
  { verbs: ['create', 'delete'], apiGroups: ['apiextensions.k8s.io'], resources: ['customresourcedefinitions'] },
];

describe('While somebody with ordinary rights sends what is hard to serve', () => {
  let system: RunningSystem;
  let stage: Stage;
  let bystander: Bystander;
  before(async () => {
    system = await runningSystem();
    stage = await Stage.over(system);
    await stage.allow(RIGHTS, 'everywhere');
    await stage.make('/api/v1/namespaces/default/configmaps', { metadata: { name: 'kept' } });
    bystander = await Bystander.begin({
      server: system.tidegate.server,
      caFile: system.tidegate.caFile,
      token: system.tidegate.token,
      path: KEPT,
      elsewhere: `http://${system.tidegate.part('store').opsAddress}/livez`,
    });
  });
  after(async () => {
    await bystander?.end();
    await stage?.close();
  });

  for (const { title, before: prepare, request, times = 1 } of ATTACKS) {
    test(`${title}: others wait no longer than ${LIMIT_MS} ms`, async (t) => {
      const send = ({ method, path, body, contentType = 'application/json' }: ReturnType<typeof request>) => {
        const whole = path.startsWith('/') ? path : `/api/v1/namespaces/own/${path}`;
        return stage.ask(method, whole, { body, headers: { 'Content-Type': contentType } });
      };
      if (prepare !== undefined) assert.equal((await send(prepare())).code, 201);
      const hostile = request();
      await bystander.saw();
      const begun = performance.now();
      const codes: number[] = [];
      for (let i = 0; i < times; i++) codes.push((await send(hostile)).code);
      const ms = performance.now() - begun;
      const { slowestMs, slowestElsewhereMs, failures, reads } = await bystander.saw();
      const mib = memoryBytes(system.tidegate.pid('gateway')) / 2 ** 20;
      t.diagnostic(
        `${codes.join()} in ${Math.round(ms)} ms; slowest of ${reads} reads ${Math.round(slowestMs)} ms, elsewhere ` +
          `${Math.round(slowestElsewhereMs)} ms; ${Math.round(mib)} MiB`,
      );
      assert.deepEqual(failures, []);
      assert.ok(codes.every((code) => code < 500));
      assert.ok(slowestMs - slowestElsewhereMs < LIMIT_MS, `a read took ${slowestMs} ms`);
      assert.ok(mib < LIMIT_MIB, `the gateway has ${mib} MiB`);
    });
  }
});
