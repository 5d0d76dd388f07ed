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
const UNKNOWN_UID = '00000000-0000-4000-8000-000000000000';
const MERGE = { 'Content-Type': 'application/merge-patch+json' };

/** the objects and their owners */
type Graph = Record<number, number[]>;

/** The expected graph: objects without remaining owners are deleted; orphaning removes the reference first. */
function deleteInModel(graph: Graph, victim: number, policy: string): void {
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

describe('Garbage collection', () => {
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
    const reply = await client.request('POST', path, { body: object });
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
    const reply = await client.request('DELETE', pathOf(object), { body: { propagationPolicy } });
    assert.equal(reply.code, 200, reply.text);
    return reply;
  };
  const patch = (object: Owned, metadata: object) =>
    client.request('PATCH', pathOf(object), { body: { metadata }, headers: MERGE });
  const ownersOf = async (object: Owned) => ((await get(object)).json.metadata.ownerReferences ?? []) as object[];
  /** Waits until the collector has processed all earlier writes. */
  const caughtUp = async () => {
    const owner = await make();
    const dependent = await make([ownedBy(owner)]);
    await remove(owner);
    await gone('a dependent that was made later', dependent);
  };

  test('All direct and indirect dependents of a deleted object are deleted.', async () => {
    const owner = await make();
    const children = [await make([ownedBy(owner)]), await make([blocking(owner)])];
    const grandchild = await make([ownedBy(children[0] as Owned)]);
    const unrelated = await make();
    await remove(owner, 'Background');
    await gone('all that depended', owner, ...children, grandchild);
    assert.equal((await get(unrelated)).code, 200);
  });

  test('A dependent with another existing owner is kept, and the reference to the deleted owner is removed.', async () => {
    const [first, second] = [await make(), await make()];
    const dependent = await make([ownedBy(first), ownedBy(second)]);
    await remove(first);
    await until('one reference to remain', async () => (await ownersOf(dependent)).length === 1);
    assert.deepEqual(await ownersOf(dependent), [ownedBy(second)]);
    await remove(second);
    await gone('the dependent', dependent);
  });

  test('An object that is created with or later gets an absent owner is deleted.', async () => {
    const absent = { apiVersion: 'v1', kind: 'ConfigMap', name: 'never-there', uid: UNKNOWN_UID };
    const late = await make();
    const born = await make([absent]);
    await patch(late, { ownerReferences: [absent] });
    const odd = await make([{ ...absent, uid: 'no uid at all' }]);
    await gone('all of them', late, born, odd);
  });

  test('A new object with the name of an owner but another uid is not the owner.', async () => {
    const owner = await make([], { finalizers: ['example.com/held'] });
    const dependent = await make([ownedBy(owner)]);
    await remove(owner);
    await caughtUp();
    assert.equal((await get(dependent)).code, 200, 'the owner still exists');
    await patch(owner, { finalizers: null });
    await post(MAPS, configMap(owner.metadata.name));
    await gone('the dependent', dependent);
    assert.equal((await get(owner)).code, 200);
  });

  test('Foreground deletion: an owner is deleted after its blocking dependents, at every level.', async () => {
    const owner = await make();
    const middle = await make([blocking(owner)]);
    const last = await make([blocking(middle)], { finalizers: ['example.com/held'] });
    const free = await make([ownedBy(owner)]);
    const { json } = await remove(owner, 'Foreground');
    assert.deepEqual(json.metadata.finalizers, ['foregroundDeletion']);
    await gone('the dependent that does not block', free);
    await until('the last to be deleted', async () => (await get(last)).json.metadata.deletionTimestamp);
    await caughtUp();
    assert.deepEqual((await get(middle)).json.metadata.finalizers, ['foregroundDeletion']);
    assert.equal((await get(owner)).code, 200);
    await patch(last, { finalizers: null });
    await gone('all', owner, middle, last);
  });

  test('Foreground deletion: a dependent with another owner is kept and no longer blocks.', async () => {
    const [owner, other] = [await make(), await make()];
    const dependent = await make([blocking(owner), ownedBy(other)]);
    await remove(owner, 'Foreground');
    await gone('the owner', owner);
    assert.deepEqual(await ownersOf(dependent), [ownedBy(other)]);
  });

  test('Foreground deletion: dependents that do not block are deleted without waiting for them.', async () => {
    const owner = await make();
    const held = await make([ownedBy(owner)], { finalizers: ['example.com/held'] });
    await remove(owner, 'Foreground');
    await gone('the owner', owner);
    await until('the dependent to be deleted', async () => (await get(held)).json.metadata.deletionTimestamp);
    await patch(held, { finalizers: null });
    await gone('the dependent', held);
  });

  test('Orphan deletion: references of dependents are removed, then the owner is deleted.', async () => {
    const [owner, other] = [await make(), await make()];
    const dependents = [await make([blocking(owner)]), await make([ownedBy(other), ownedBy(owner)])];
    const { json } = await remove(owner, 'Orphan');
    assert.deepEqual(json.metadata.finalizers, ['orphan']);
    await gone('the owner', owner);
    await caughtUp();
    assert.deepEqual(await Promise.all(dependents.map(ownersOf)), [[], [ownedBy(other)]]);
  });

  test('Objects that own each other in a cycle are deleted together, in the background and in the foreground.', async () => {
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

  test('An owner in another namespace counts as absent, and its deletion does not wait for such dependents.', async () => {
    await post('/api/v1/namespaces', { metadata: { name: 'elsewhere' } });
    const owner = await make();
    const dependent = await make(
      [blocking(owner)],
      { finalizers: ['example.com/held'] },
      MAPS.replace('default', 'elsewhere'),
    );
    await until('the dependent to be deleted', async () => (await get(dependent)).json.metadata.deletionTimestamp);
    await remove(owner, 'Foreground');
    await gone('the owner', owner);
    await patch(dependent, { finalizers: null });
    await gone('the dependent', dependent);
  });

  test('Cluster-scoped objects can own namespaced ones; the reverse is reported with an event and not collected.', async () => {
    const roles = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
    const role = await post(roles, { metadata: { name: name() } });
    const owned = await make([ownedBy(role)]);
    const owner = await make();
    const odd = await post(roles, { metadata: { name: name(), ownerReferences: [blocking(owner)] } });
    await remove(owner, 'Foreground');
    await gone('the owner', owner);
    await client.request('DELETE', `${roles}/${role.metadata.name}`);
    await gone('what the role owned', owned);
    const warning = await until('an event', async () => {
      const { json } = await client.get(
        '/api/v1/namespaces/default/events?fieldSelector=reason=OwnerRefInvalidNamespace',
      );
      return json.items[0];
    });
    assert.deepEqual([warning.type, warning.involvedObject.uid], ['Warning', odd.metadata.uid]);
    assert.equal((await client.get(`${roles}/${odd.metadata.name}`)).code, 200);
  });

  test('Dependents of an owner whose kind or version is not served are kept.', async () => {
    const owner = await make();
    const strange = [
      { apiVersion: 'v1', kind: 'Nothing', name: 'x', uid: UNKNOWN_UID },
      { ...ownedBy(owner), apiVersion: 'v2' },
    ];
    const dependents = [await make([strange[0] as object]), await make([strange[1] as object])];
    const both = await make([ownedBy(owner), strange[0] as object]);
    await remove(owner);
    await caughtUp();
    for (const dependent of [...dependents, both]) assert.equal((await get(dependent)).code, 200);
  });

  test('An owner is found by each version and group of its kind.', async () => {
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
    await client.request('DELETE', `${collection}/${autoscaler.metadata.name}`);
    await client.request('DELETE', `/apis/events.k8s.io/v1/namespaces/default/events/${event.metadata.name}`);
    await gone('all three', ...dependents);
  });

  test('Pods get their grace period, and a Deployment is deleted after its pods.', async () => {
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
    await client.request('DELETE', `${apps}/deployments/web`, { body: { propagationPolicy: 'Foreground' } });
    const pod = await until('the pod to be marked for deletion', async () => {
      const { json } = await client.get(`${pods}/web-1-x`);
      return json.metadata.deletionTimestamp === undefined ? undefined : json;
    });
    assert.equal(pod.metadata.deletionGracePeriodSeconds, 600);
    await caughtUp();
    for (const path of ['deployments/web', 'replicasets/web-1'])
      assert.equal((await client.get(`${apps}/${path}`)).code, 200, path);
    await client.request('DELETE', `${pods}/web-1-x`, { body: { gracePeriodSeconds: 0 } });
    await until('the Deployment to be gone', async () => (await client.get(`${apps}/deployments/web`)).code === 404);
    assert.equal((await client.get(`${apps}/replicasets/web-1`)).code, 404);
  });

  test('Random graphs and deletions have the same results as a simple model.', async () => {
    const seeds = [1, 2, 3, 4, 5, 6];
    const results = await Promise.all(seeds.map((seed) => deleteInRandomGraph(seed)));
    await caughtUp();
    for (const { seed, model, readGraph } of results.map((one, i) => ({ ...one, seed: seeds[i] })))
      assert.deepEqual(await readGraph(), model, `seed ${seed}`);
  });

  /** Deletes objects of a random graph one after another; after each deletion the cluster must reach the state of the model. */
  async function deleteInRandomGraph(seed: number) {
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
    const readGraph = async (): Promise<Graph> => {
      const placeOf = ({ uid }: { uid: string }) => objects.findIndex(({ metadata }) => metadata.uid === uid);
      const existing = await listed(`graph=${seed}`);
      const graph = existing.map(({ metadata }) => [placeOf(metadata), (metadata.ownerReferences ?? []).map(placeOf)]);
      return Object.fromEntries(graph);
    };
    for (let step = 0; step < 5 && Object.keys(model).length > 0; step++) {
      const victim = Number(random.pick(Object.keys(model)));
      const policy = random.pick(['Background', 'Foreground', 'Orphan']);
      await remove(objects[victim] as Owned, policy);
      deleteInModel(model, victim, policy);
      const wanted = JSON.stringify(model);
      await until(
        `step ${step} (${policy}) to end as ${wanted}`,
        async () => JSON.stringify(await readGraph()) === wanted,
      );
    }
    return { model, readGraph };
  }

  test('Deletions continue after the store is killed, with every propagation policy.', async () => {
    const plan = [
      { policy: 'Background', remaining: 0 },
      { policy: 'Foreground', remaining: 0 },
      { policy: 'Orphan', remaining: 25 },
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
    await until('the dependents to have the expected state', async () => {
      const remaining = await Promise.all(plan.map(({ policy }) => listed(`was=${policy}`)));
      return remaining.every(({ length }, i) => length === plan[i]?.remaining);
    });
    const orphans = await listed('was=Orphan');
    assert.ok(orphans.every(({ metadata }) => (metadata.ownerReferences ?? []).length === 0));
  });
});
