import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type BootstrapFlowObject, bootstrapFlowObjects } from '@tidegate/flow-control';
import { conditionsWithLevel, FlowControl, type FlowObject, restored } from './flow-control.ts';

const AUTOUPDATE = 'apf.kubernetes.io/autoupdate-spec';
const wanted = bootstrapFlowObjects();
const level = (name: string) =>
  wanted.find((one) => one.kind === 'PriorityLevelConfiguration' && one.name === name) as BootstrapFlowObject;
const present = (annotations: Record<string, string>, generation = 2, spec: object = { type: 'Exempt' }) =>
  ({ metadata: { name: 'x', annotations, generation }, spec }) as FlowObject;
const annotationOf = (object: FlowObject | undefined) => object?.metadata.annotations?.[AUTOUPDATE];

test('A mandatory object is restored whatever its annotation says.', () => {
  const next = restored(level('catch-all'), present({ [AUTOUPDATE]: 'false' }));
  assert.deepEqual(next?.spec, level('catch-all').spec);
  assert.equal(annotationOf(next), 'true');
  assert.equal(restored(level('catch-all'), next as FlowObject), undefined);
});

test('A suggested object is restored unless its annotation forbids it.', () => {
  assert.deepEqual(restored(level('system'), present({ [AUTOUPDATE]: 'true' }))?.spec, level('system').spec);
  assert.equal(restored(level('system'), present({ [AUTOUPDATE]: 'false' })), undefined);
});

test('A suggested object without the annotation belongs to the user who has changed its spec.', () => {
  const taken = restored(level('system'), present({}));
  assert.deepEqual([taken?.spec, annotationOf(taken)], [{ type: 'Exempt' }, 'false']);
  const untouched = restored(level('system'), present({}, 1));
  assert.deepEqual([untouched?.spec, annotationOf(untouched)], [level('system').spec, 'true']);
});

test('A condition of a flow schema reports whether its level exists, and is written only when it changes.', () => {
  const schema = (conditions: object[]) =>
    ({
      metadata: { name: 's' },
      spec: { priorityLevelConfiguration: { name: 'users' } },
      status: { conditions },
    }) as FlowObject;
  const other = { type: 'Other', status: 'True' };
  const dangling = conditionsWithLevel(schema([other]), new Map()) ?? [];
  assert.deepEqual(
    dangling.map(({ type, status, reason }) => [type, status, reason]),
    [
      ['Other', 'True', undefined],
      ['Dangling', 'True', 'NotFound'],
    ],
  );
  assert.equal(conditionsWithLevel(schema([...dangling]), new Map()), undefined);
  const found = conditionsWithLevel(schema([...dangling]), new Map([['users', present({})]])) ?? [];
  assert.match(String(found[1]?.message), /named "users" and it exists$/);
});

test('Obsolete objects are deleted, objects of users stay, and then no more requests are sent.', async () => {
  const objects = new Map<string, FlowObject>();
  const place = '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas';
  objects.set(`${place}/old`, { metadata: { name: 'old', annotations: { [AUTOUPDATE]: 'true' } } });
  objects.set(`${place}/own`, { metadata: { name: 'own' } });
  let requests = 0;
  const gateway = {
    async send(method: string, path: string, object?: unknown) {
      requests++;
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
      requests++;
      const [plain = ''] = path.split('/status?');
      objects.set(plain, { ...(objects.get(plain) as FlowObject), ...(patch as object) });
      return { code: 200, body: {} };
    },
  };
  const flows = new FlowControl(gateway);
  await flows.reconcile(undefined);
  await flows.reconcile([]);
  assert.equal(objects.size, wanted.length + 1);
  assert.ok(objects.has(`${place}/own`));
  assert.equal(objects.get(`${place}/catch-all`)?.status?.conditions?.length, 1);
  const before = requests;
  await flows.reconcile([]);
  assert.equal(requests, before);
});
