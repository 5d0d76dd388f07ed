import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type LookUp, type Replica, ReplicaNames } from './replica-names.ts';

/** A fake DNS and a fake clock. */
class World {
  answers: Record<string, readonly string[] | Error> = {};
  readonly queries: string[] = [];
  readonly reported: string[][] = [];
  readonly pauses: number[] = [];
  #due: Array<() => void> = [];

  readonly lookUp: LookUp = async (name, server) => {
    this.queries.push(server === '' ? name : `${name}@${server}`);
    const answer = this.answers[name] ?? [];
    if (answer instanceof Error) throw answer;
    return answer;
  };

  names(...names: string[]): ReplicaNames {
    return new ReplicaNames({
      names,
      lookUp: this.lookUp,
      changed: (replicas) => this.reported.push(addresses(replicas)),
      setTimeoutFn: (work, ms) => {
        this.pauses.push(ms);
        this.#due.push(work);
        return { unref() {} } as NodeJS.Timeout;
      },
    });
  }

  /** The next round, to its end. */
  async tick(): Promise<void> {
    for (const work of this.#due.splice(0)) work();
    await settled();
  }
}

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));
const addresses = (replicas: readonly Replica[]) => replicas.map(({ address }) => address);
const STORE = 'dns:///store:7443';

test('Fixed addresses are replicas without a DNS query.', async () => {
  const world = new World();
  const names = world.names('a:1', 'unix:/b', 'a:1');
  await settled();
  assert.deepEqual(names.replicas, [{ address: 'a:1' }, { address: 'unix:/b' }]);
  assert.deepEqual([world.queries, world.pauses], [[], []]);
});

test('A name stands for all its addresses, whose certificates must be for the name.', async () => {
  const world = new World();
  world.answers = { store: ['10.0.0.9', '10.0.0.7'] };
  const names = world.names(STORE);
  assert.deepEqual(names.replicas, [{ address: STORE }], 'until it was looked up it stands for itself');
  await settled();
  assert.deepEqual(names.replicas, [
    { address: '10.0.0.7:7443', serverName: 'store' },
    { address: '10.0.0.9:7443', serverName: 'store' },
  ]);
});

test('A name is resolved periodically, and changes are reported.', async () => {
  const world = new World();
  world.answers = { store: ['10.0.0.7'] };
  world.names(STORE);
  await settled();
  await world.tick();
  world.answers = { store: ['10.0.0.8', '10.0.0.7'] };
  await world.tick();
  world.answers = { store: ['10.0.0.8'] };
  await world.tick();
  assert.deepEqual(world.reported, [['10.0.0.7:7443'], ['10.0.0.7:7443', '10.0.0.8:7443'], ['10.0.0.8:7443']]);
  assert.deepEqual(world.pauses, [5000, 5000, 5000, 5000]);
});

test('A DNS that fails or returns no address removes no replica.', async () => {
  const world = new World();
  world.answers = { store: ['10.0.0.7'] };
  const names = world.names(STORE);
  await settled();
  world.answers = { store: new Error('SERVFAIL') };
  await world.tick();
  world.answers = { store: [] };
  await world.tick();
  assert.deepEqual(addresses(names.replicas), ['10.0.0.7:7443']);
  assert.equal(world.reported.length, 1);
});

test('A name that was never resolved is retried sooner.', async () => {
  const world = new World();
  const names = world.names(STORE);
  await settled();
  world.answers = { store: ['10.0.0.7'] };
  await world.tick();
  assert.deepEqual(world.pauses, [250, 5000]);
  assert.deepEqual(addresses(names.replicas), ['10.0.0.7:7443']);
});

test('A process with an address of each family is one replica; an IPv6 address is in brackets.', async () => {
  const world = new World();
  world.answers = { both: ['fd00::7', '10.0.0.7'], six: ['fd00::7'] };
  const names = world.names('dns:///both:1', 'dns:///six:2', 'x:3');
  await settled();
  assert.deepEqual(addresses(names.replicas), ['10.0.0.7:1', '[fd00::7]:2', 'x:3']);
});

test('A name may include its DNS server.', async () => {
  const world = new World();
  world.names('dns://127.0.0.1:5353/store:1');
  await settled();
  assert.deepEqual(world.queries, ['store@127.0.0.1:5353']);
});

test('After close nothing is resolved or reported.', async () => {
  const world = new World();
  world.answers = { store: ['10.0.0.7'] };
  const names = world.names(STORE);
  names.close();
  await settled();
  await world.tick();
  assert.deepEqual([world.reported, world.pauses], [[], []]);
});

for (const bad of ['dns:///store', 'dns:store:1', 'dns:///:1', 'dns://store:1', 'dns:///a/b:1']) {
  test(`${bad} is rejected, and the error shows the correct form.`, () => {
    assert.throws(() => new ReplicaNames({ names: [bad] }), {
      message: `${bad} is not a valid name of replicas: use dns:///NAME:PORT, as in dns:///tidegate-store:7443`,
    });
  });
}
