import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Random, type TestTidegate, until } from '@tidegate/testkit';
import { type Client, configMap, MAPS, type Reply } from './support/client.ts';
import { COMPLETE } from './support/running-system.ts';
import { sharedSystem } from './support/shared-system.ts';

interface Owned {
  metadata: { name: string; uid: string; namespace?: string; ownerReferences?: Array<{ uid: string }> };
  kind: string;
  apiVersion: string;
}

const ownedBy = ({ apiVersion, kind, metadata: { name, uid } }: Owned, fields: object = {}) => ({
  apiVersion,
  kind,
  name,
  uid,
  ...fields,
});
const blocking = (owner: Owned) => ownedBy(owner, { blockOwnerDeletion: true });
const NOBODY = '00000000-0000-4000-8000-000000000000';
const MERGE = { 'Content-Type': 'application/merge-patch+json' };

/** who is there, and who owns them */
type Graph = Record<number, number[]>;

/** Whoever had owners and has none left is gone, too; an orphan forgets its owner first. */
function deleteNaively(graph: Graph, victim: number, policy: string): void {
  delete graph[victim];
  const forget = (gone: number) => {
    for (const owners of Object.values(graph)) if (owners.includes(gone)) owners.splice(owners.indexOf(gone), 1);
  };
  if (policy === 'Orphan') forget(victim);
  const gone = policy === 'Orphan' ? [] : [victim];
  for (let next = gone.shift(); next !== undefined; next = gone.shift()) {
    const before = Object.entries(graph).filter(([, owners]) => owners.length > 0);
    forget(next);
    for (const [name, owners] of before) {
      if (owners.length > 0) continue;
      delete graph[Number(name)];
      gone.push(Number(name));
    }
  }
}

describe('The garbage collector', () => {
  let tidegate: TestTidegate;
  let client: Client;
  let made = 0;
  const name = () => `thing-${made++}`;

  before(async () => {
    ({ tidegate, client } = await sharedSystem(COMPLETE));
    await until('the namespace', async () => (await client.get('/api/v1/namespaces/default')).code === 200);
  });
  after(async () => {
    client.close();
    await tidegate.stop();
  });

  const post = async (path: string, object: object): Promise<Owned> => {
    const reply = await client.ask('POST', path, { body: object });
    assert.equal(reply.code, 201, reply.text);
    return reply.json;
  };
  const make = (owners: object[] = [], metadata: object = {}, collection = MAPS) =>
    post(collection, configMap(name(), {}, { ...(owners.length > 0 && { ownerReferences: owners }), ...metadata }));
  const pathOf = ({ metadata }: Owned) => `/api/v1/namespaces/${metadata.namespace}/configmaps/${metadata.name}`;
  const get = (object: Owned) => client.get(pathOf(object));
  const listed = async (labelSelector: string): Promise<Owned[]> =>
    (await client.get(`${MAPS}?labelSelector=${labelSelector}`)).json.items;
  const isGone = async (object: Owned) => (await get(object)).code === 404;
  const gone = (what: string, ...objects: Owned[]) =>
    until(`${what} to be gone`, async () => (await Promise.all(objects.map(isGone))).every(Boolean), 60_000);
  const remove = async (object: Owned, propagationPolicy?: string): Promise<Reply> => {
    const reply = await client.ask('DELETE', pathOf(object), { body: { propagationPolicy } });
    assert.equal(reply.code, 200, reply.text);
    return reply;
  };
  const patch = (object: Owned, metadata: object) =>
    client.ask('PATCH', pathOf(object), { body: { metadata }, headers: MERGE });
  const ownersOf = async (object: Owned) => ((await get(object)).json.metadata.ownerReferences ?? []) as object[];
  /** What was written before this call has been looked at when it returns. */
  const caughtUp = async () => {
    const owner = await make();
    const dependent = await make([ownedBy(owner)]);
    await remove(owner);
    await gone('a dependent that was made later', dependent);
  };

  test('deletes the dependents of what was deleted, and theirs, down to the last', async () => {
    const owner = await make();
    const children = [await make([ownedBy(owner)]), await make([blocking(owner)])];
    const grandchild = await make([ownedBy(children[0] as Owned)]);
    const stranger = await make();
    await remove(owner, 'Background');
    await gone('all that depended', owner, ...children, grandchild);
    assert.equal((await get(stranger)).code, 200);
  });

  test('leaves a dependent whose other owner lives, and takes the reference to the absent one away', async () => {
    const [first, second] = [await make(), await make()];
    const dependent = await make([ownedBy(first), ownedBy(second)]);
    await remove(first);
    await until('one reference to be left', async () => (await ownersOf(dependent)).length === 1);
    assert.deepEqual(await ownersOf(dependent), [ownedBy(second)]);
    await remove(second);
    await gone('the dependent', dependent);
  });

  test('deletes what is made with an owner that is absent already, and what is given one later', async () => {
    const absent = { apiVersion: 'v1', kind: 'ConfigMap', name: 'never-there', uid: NOBODY };
    const late = await make();
    const born = await make([absent]);
    await patch(late, { ownerReferences: [absent] });
    const odd = await make([{ ...absent, uid: 'no uid at all' }]);
    await gone('all of them', late, born, odd);
  });

  test('takes an owner that was made again under its name for another one', async () => {
    const owner = await make([], { finalizers: ['example.com/held'] });
    const dependent = await make([ownedBy(owner)]);
    await remove(owner);
    await caughtUp();
    assert.equal((await get(dependent)).code, 200, 'the owner is still there');
    await patch(owner, { finalizers: null });
    await post(MAPS, configMap(owner.metadata.name));
    await gone('the dependent', dependent);
    assert.equal((await get(owner)).code, 200);
  });

  test('foreground: the owner stays until those that block it are gone, and they until theirs are', async () => {
    const owner = await make();
    const middle = await make([blocking(owner)]);
    const last = await make([blocking(middle)], { finalizers: ['example.com/held'] });
    const free = await make([ownedBy(owner)]);
    const { json } = await remove(owner, 'Foreground');
    assert.deepEqual(json.metadata.finalizers, ['foregroundDeletion']);
    await gone('the one that blocks nobody', free);
    await until('the last to be deleted', async () => (await get(last)).json.metadata.deletionTimestamp);
    await caughtUp();
    assert.deepEqual((await get(middle)).json.metadata.finalizers, ['foregroundDeletion']);
    assert.equal((await get(owner)).code, 200);
    await patch(last, { finalizers: null });
    await gone('all', owner, middle, last);
  });

  test('foreground: a dependent that somebody else owns, too, stays and blocks no longer', async () => {
    const [owner, other] = [await make(), await make()];
    const dependent = await make([blocking(owner), ownedBy(other)]);
    await remove(owner, 'Foreground');
    await gone('the owner', owner);
    assert.deepEqual(await ownersOf(dependent), [ownedBy(other)]);
  });

  test('foreground: what does not block is deleted, and is not waited for', async () => {
    const owner = await make();
    const held = await make([ownedBy(owner)], { finalizers: ['example.com/held'] });
    await remove(owner, 'Foreground');
    await gone('the owner', owner);
    await until('the dependent to be deleted', async () => (await get(held)).json.metadata.deletionTimestamp);
    await patch(held, { finalizers: null });
    await gone('the dependent', held);
  });

  test('orphan: dependents forget the owner, and it is gone', async () => {
    const [owner, other] = [await make(), await make()];
    const dependents = [await make([blocking(owner)]), await make([ownedBy(other), ownedBy(owner)])];
    const { json } = await remove(owner, 'Orphan');
    assert.deepEqual(json.metadata.finalizers, ['orphan']);
    await gone('the owner', owner);
    await caughtUp();
    assert.deepEqual(await Promise.all(dependents.map(ownersOf)), [[], [ownedBy(other)]]);
  });

  test('owners in a circle are deleted with one of them, in the background and in the foreground', async () => {
    for (const policy of ['Background', 'Foreground']) {
      const [a, b, c] = [await make(), await make(), await make()];
      await patch(a, { ownerReferences: [blocking(c)] });
      await patch(b, { ownerReferences: [blocking(a)] });
      await patch(c, { ownerReferences: [blocking(b)] });
      await caughtUp();
      assert.deepEqual(await Promise.all([a, b, c].map(isGone)), [false, false, false]);
      await remove(a, policy);
      await gone(`the circle (${policy})`, a, b, c);
    }
    const self = await make();
    await patch(self, { ownerReferences: [blocking(self)] });
    await remove(self, 'Foreground');
    await gone('one that owns itself', self);
  });

  test('an owner in another namespace is absent, whatever its uid, and nobody there is held up by its dependents', async () => {
    await post('/api/v1/namespaces', { metadata: { name: 'elsewhere' } });
    const owner = await make();
    const dependent = await make(
      [blocking(owner)],
      { finalizers: ['example.com/held'] },
      MAPS.replace('default', 'elsewhere'),
    );
    await until('it to be deleted', async () => (await get(dependent)).json.metadata.deletionTimestamp);
    await remove(owner, 'Foreground');
    await gone('the owner', owner);
    await patch(dependent, { finalizers: null });
    await gone('the dependent', dependent);
  });

  test('objects of the cluster own what is in namespaces; the other way round is told, and left alone', async () => {
    const roles = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
    const role = await post(roles, { metadata: { name: name() } });
    const owned = await make([ownedBy(role)]);
    const owner = await make();
    const odd = await post(roles, { metadata: { name: name(), ownerReferences: [blocking(owner)] } });
    await remove(owner, 'Foreground');
    await gone('the owner', owner);
    await client.ask('DELETE', `${roles}/${role.metadata.name}`);
    await gone('what the role owned', owned);
    const said = await until('an event', async () => {
      const { json } = await client.get(
        '/api/v1/namespaces/default/events?fieldSelector=reason=OwnerRefInvalidNamespace',
      );
      return json.items[0];
    });
    assert.deepEqual([said.type, said.involvedObject.uid], ['Warning', odd.metadata.uid]);
    assert.equal((await client.get(`${roles}/${odd.metadata.name}`)).code, 200);
  });

  test('an owner of a kind or version that is not served says nothing: its dependents are left alone', async () => {
    const owner = await make();
    const strange = [
      { apiVersion: 'v1', kind: 'Nothing', name: 'x', uid: NOBODY },
      { ...ownedBy(owner), apiVersion: 'v2' },
    ];
    const dependents = [await make([strange[0] as object]), await make([strange[1] as object])];
    const both = await make([ownedBy(owner), strange[0] as object]);
    await remove(owner);
    await caughtUp();
    for (const dependent of [...dependents, both]) assert.equal((await get(dependent)).code, 200);
  });

  test('an owner is found by each version and group in which its kind is served', async () => {
    const collection = '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers';
    const spec = { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'x' }, maxReplicas: 3 };
    const autoscaler = await post(collection, { metadata: { name: name() }, spec });
    const event = await post('/api/v1/namespaces/default/events', {
      metadata: { name: name() },
      involvedObject: { namespace: 'default' },
    });
    const dependents = [
      await make([ownedBy({ ...autoscaler, apiVersion: 'autoscaling/v1' })]),
      await make([ownedBy({ ...autoscaler, apiVersion: 'autoscaling/v2' })]),
      await make([ownedBy({ ...event, apiVersion: 'events.k8s.io/v1', kind: 'Event' })]),
    ];
    await caughtUp();
    assert.deepEqual(await Promise.all(dependents.map(isGone)), [false, false, false]);
    await client.ask('DELETE', `${collection}/${autoscaler.metadata.name}`);
    await client.ask('DELETE', `/apis/events.k8s.io/v1/namespaces/default/events/${event.metadata.name}`);
    await gone('all three', ...dependents);
  });

  test('pods get their time to end, and a Deployment is gone when they are', async () => {
    const template = {
      metadata: { labels: { app: 'web' } },
      spec: { terminationGracePeriodSeconds: 600, containers: [{ name: 'a', image: 'a' }] },
    };
    const spec = { selector: { matchLabels: { app: 'web' } }, template };
    const apps = '/apis/apps/v1/namespaces/default';
    const deployment = await post(`${apps}/deployments`, { metadata: { name: 'web' }, spec });
    const set = await post(`${apps}/replicasets`, {
      metadata: {
        name: 'web-1',
        ownerReferences: [blocking({ ...deployment, kind: 'Deployment', apiVersion: 'apps/v1' })],
      },
      spec,
    });
    const pods = '/api/v1/namespaces/default/pods';
    await post(pods, {
      metadata: { name: 'web-1-x', ownerReferences: [blocking({ ...set, kind: 'ReplicaSet', apiVersion: 'apps/v1' })] },
      spec: { ...template.spec, nodeName: 'node' },
    });
    await client.ask('DELETE', `${apps}/deployments/web`, { body: { propagationPolicy: 'Foreground' } });
    const pod = await until('the pod to be asked', async () => {
      const { json } = await client.get(`${pods}/web-1-x`);
      return json.metadata.deletionTimestamp === undefined ? undefined : json;
    });
    assert.equal(pod.metadata.deletionGracePeriodSeconds, 600);
    await caughtUp();
    for (const path of ['deployments/web', 'replicasets/web-1'])
      assert.equal((await client.get(`${apps}/${path}`)).code, 200, path);
    await client.ask('DELETE', `${pods}/web-1-x`, { body: { gracePeriodSeconds: 0 } });
    await until('the Deployment to be gone', async () => (await client.get(`${apps}/deployments/web`)).code === 404);
    assert.equal((await client.get(`${apps}/replicasets/web-1`)).code, 404);
  });

  test('does what a naive model says, whatever owns what and however it is deleted', async () => {
    const seeds = [1, 2, 3, 4, 5, 6];
    const told = await Promise.all(seeds.map((seed) => playGraph(seed)));
    await caughtUp();
    for (const { seed, model, look } of told.map((one, i) => ({ ...one, seed: seeds[i] })))
      assert.deepEqual(await look(), model, `seed ${seed}`);
  });

  /** Deletes objects of a random graph, one after another; each time the cluster must come to be as the model says. */
  async function playGraph(seed: number) {
    const random = new Random(seed);
    const labels = { graph: String(seed) };
    const objects = await Promise.all(Array.from({ length: 14 }, () => make([], { labels })));
    const model: Graph = {};
    for (const [i, object] of objects.entries()) {
      const others = objects.map((_, j) => j).filter((j) => j !== i && random.chance(0.15));
      const owners = others.map((j) => ownedBy(objects[j] as Owned, { blockOwnerDeletion: random.chance(0.6) }));
      const { code, text } = await patch(object, { ownerReferences: owners });
      assert.equal(code, 200, text);
      model[i] = others;
    }
    const look = async (): Promise<Graph> => {
      const placeOf = ({ uid }: { uid: string }) => objects.findIndex(({ metadata }) => metadata.uid === uid);
      const there = await listed(`graph=${seed}`);
      const graph = there.map(({ metadata }) => [placeOf(metadata), (metadata.ownerReferences ?? []).map(placeOf)]);
      return Object.fromEntries(graph);
    };
    for (let step = 0; step < 5 && Object.keys(model).length > 0; step++) {
      const victim = Number(random.pick(Object.keys(model)));
      const policy = random.pick(['Background', 'Foreground', 'Orphan']);
      await remove(objects[victim] as Owned, policy);
      deleteNaively(model, victim, policy);
      const wanted = JSON.stringify(model);
      await until(`step ${step} (${policy}) to end as ${wanted}`, async () => JSON.stringify(await look()) === wanted);
    }
    return { model, look };
  }

  test('goes on where it was when its store is killed in the middle, whatever was asked for', async () => {
    const plan = [
      { policy: 'Background', left: 0 },
      { policy: 'Foreground', left: 0 },
      { policy: 'Orphan', left: 25 },
    ];
    const owners = await Promise.all(plan.map(() => make()));
    for (const [i, owner] of owners.entries()) {
      const labels = { was: `${plan[i]?.policy}` };
      await Promise.all(Array.from({ length: 25 }, () => make([blocking(owner)], { labels })));
    }
    await Promise.all(owners.map((owner, i) => remove(owner, plan[i]?.policy)));
    const pid = tidegate.pid('store');
    process.kill(pid, 'SIGKILL');
    await tidegate.restarted('store', pid);
    await until('the owners to be gone', async () => (await Promise.all(owners.map(isGone))).every(Boolean));
    await until('their dependents to be as they should', async () => {
      const left = await Promise.all(plan.map(({ policy }) => listed(`was=${policy}`)));
      return left.every(({ length }, i) => length === plan[i]?.left);
    });
    const orphans = await listed('was=Orphan');
    assert.ok(orphans.every(({ metadata }) => (metadata.ownerReferences ?? []).length === 0));
  });
});
