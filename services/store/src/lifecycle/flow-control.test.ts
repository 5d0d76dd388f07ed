import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type BootstrapFlowObject, bootstrapFlowObjects } from '@tidegate/flow-control';
import { FlowControl, type FlowObject, kept, toldConditions } from './flow-control.ts';

const KEPT = 'apf.kubernetes.io/autoupdate-spec';
const wanted = bootstrapFlowObjects();
const level = (name: string) =>
  wanted.find((one) => one.kind === 'PriorityLevelConfiguration' && one.name === name) as BootstrapFlowObject;
const there = (annotations: Record<string, string>, generation = 2, spec: object = { type: 'Exempt' }) =>
  ({ metadata: { name: 'x', annotations, generation }, spec }) as FlowObject;
const annotationOf = (object: FlowObject | undefined) => object?.metadata.annotations?.[KEPT];

test('a mandatory object is put right whatever its annotation says', () => {
  const next = kept(level('catch-all'), there({ [KEPT]: 'false' }));
  assert.deepEqual(next?.spec, level('catch-all').spec);
  assert.equal(annotationOf(next), 'true');
  assert.equal(kept(level('catch-all'), next as FlowObject), undefined);
});

test('a suggested object is put right while its annotation says so', () => {
  assert.deepEqual(kept(level('system'), there({ [KEPT]: 'true' }))?.spec, level('system').spec);
  assert.equal(kept(level('system'), there({ [KEPT]: 'false' })), undefined);
});

test('a suggested object without the annotation is taken over by whoever has changed its spec', () => {
  const taken = kept(level('system'), there({}));
  assert.deepEqual([taken?.spec, annotationOf(taken)], [{ type: 'Exempt' }, 'false']);
  const untouched = kept(level('system'), there({}, 1));
  assert.deepEqual([untouched?.spec, annotationOf(untouched)], [level('system').spec, 'true']);
});

test('a flow schema is told whether its level is there, and nothing when it knows', () => {
  const schema = (conditions: object[]) =>
    ({
      metadata: { name: 's' },
      spec: { priorityLevelConfiguration: { name: 'mine' } },
      status: { conditions },
    }) as FlowObject;
  const other = { type: 'Other', status: 'True' };
  const dangling = toldConditions(schema([other]), new Map()) ?? [];
  assert.deepEqual(
    dangling.map(({ type, status, reason }) => [type, status, reason]),
    [
      ['Other', 'True', undefined],
      ['Dangling', 'True', 'NotFound'],
    ],
  );
  assert.equal(toldConditions(schema([...dangling]), new Map()), undefined);
  const found = toldConditions(schema([...dangling]), new Map([['mine', there({})]])) ?? [];
  assert.match(String(found[1]?.message), /named "mine" and it exists$/);
});

test('what was suggested once goes, what users made stays, and then nothing more is asked', async () => {
  const objects = new Map<string, FlowObject>();
  const place = '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas';
  objects.set(`${place}/old`, { metadata: { name: 'old', annotations: { [KEPT]: 'true' } } });
  objects.set(`${place}/own`, { metadata: { name: 'own' } });
  let asked = 0;
  const gateway = {
    async send(method: string, path: string, object?: unknown) {
      asked++;
      const [plain = ''] = path.split('?');
      if (method === 'GET') {
        const items = [...objects].flatMap(([key, item]) => (key.startsWith(`${plain}/`) ? [item] : []));
        return { code: 200, body: { items } };
      }
      const made = object as FlowObject;
      if (method === 'POST') objects.set(`${plain}/${made.metadata.name}`, made);
      if (method === 'DELETE') objects.delete(plain);
      return { code: 200, body: {} };
    },
    async patch(path: string, patch: unknown) {
      asked++;
      const [plain = ''] = path.split('/status?');
      objects.set(plain, { ...(objects.get(plain) as FlowObject), ...(patch as object) });
      return { code: 200, body: {} };
    },
  };
  const flows = new FlowControl(gateway);
  await flows.round(undefined);
  await flows.round([]);
  assert.equal(objects.size, wanted.length + 1);
  assert.ok(objects.has(`${place}/own`));
  assert.equal(objects.get(`${place}/catch-all`)?.status?.conditions?.length, 1);
  const before = asked;
  await flows.round([]);
  assert.equal(asked, before);
});
