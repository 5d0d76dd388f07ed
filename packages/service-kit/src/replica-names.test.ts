import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type LookUp, type Replica, ReplicaNames } from './replica-names.ts';

/** A DNS and a clock that do what the test says. */
class World {
  answers: Record<string, readonly string[] | Error> = {};
  readonly asked: string[] = [];
  readonly told: string[][] = [];
  readonly pauses: number[] = [];
  #due: Array<() => void> = [];

  readonly lookUp: LookUp = async (name, server) => {
    this.asked.push(server === '' ? name : `${name}@${server}`);
    const answer = this.answers[name] ?? [];
    if (answer instanceof Error) throw answer;
    return answer;
  };

  names(...names: string[]): ReplicaNames {
    return new ReplicaNames({
      names,
      lookUp: this.lookUp,
      changed: (replicas) => this.told.push(addresses(replicas)),
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

test('Addresses are replicas as they were given, and no DNS is asked.', async () => {
  const world = new World();
  const names = world.names('a:1', 'unix:/b', 'a:1');
  await settled();
  assert.deepEqual(names.replicas, [{ address: 'a:1' }, { address: 'unix:/b' }]);
  assert.deepEqual([world.asked, world.pauses], [[], []]);
});

test('A name is all addresses behind it, whose certificates must be for the name.', async () => {
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

test('It is looked up again and again, and who wants to know is told what has changed.', async () => {
  const world = new World();
  world.answers = { store: ['10.0.0.7'] };
  world.names(STORE);
  await settled();
  await world.tick();
  world.answers = { store: ['10.0.0.8', '10.0.0.7'] };
  await world.tick();
  world.answers = { store: ['10.0.0.8'] };
  await world.tick();
  assert.deepEqual(world.told, [['10.0.0.7:7443'], ['10.0.0.7:7443', '10.0.0.8:7443'], ['10.0.0.8:7443']]);
  assert.deepEqual(world.pauses, [5000, 5000, 5000, 5000]);
});

test('A DNS that fails, or knows no address any more, takes no replica away.', async () => {
  const world = new World();
  world.answers = { store: ['10.0.0.7'] };
  const names = world.names(STORE);
  await settled();
  world.answers = { store: new Error('SERVFAIL') };
  await world.tick();
  world.answers = { store: [] };
  await world.tick();
  assert.deepEqual(addresses(names.replicas), ['10.0.0.7:7443']);
  assert.equal(world.told.length, 1);
});

test('A name that was never found is asked for sooner.', async () => {
  const world = new World();
  const names = world.names(STORE);
  await settled();
  world.answers = { store: ['10.0.0.7'] };
  await world.tick();
  assert.deepEqual(world.pauses, [250, 5000]);
  assert.deepEqual(addresses(names.replicas), ['10.0.0.7:7443']);
});

test('A process with an address of each family is one replica; with IPv6 alone it has brackets.', async () => {
  const world = new World();
  world.answers = { both: ['fd00::7', '10.0.0.7'], six: ['fd00::7'] };
  const names = world.names('dns:///both:1', 'dns:///six:2', 'x:3');
  await settled();
  assert.deepEqual(addresses(names.replicas), ['10.0.0.7:1', '[fd00::7]:2', 'x:3']);
});

test('A name may say which DNS server knows it.', async () => {
  const world = new World();
  world.names('dns://127.0.0.1:5353/store:1');
  await settled();
  assert.deepEqual(world.asked, ['store@127.0.0.1:5353']);
});

test('Once closed, nothing is looked up and nobody is told.', async () => {
  const world = new World();
  world.answers = { store: ['10.0.0.7'] };
  const names = world.names(STORE);
  names.close();
  await settled();
  await world.tick();
  assert.deepEqual([world.told, world.pauses], [[], []]);
});

for (const bad of ['dns:///store', 'dns:store:1', 'dns:///:1', 'dns://store:1', 'dns:///a/b:1']) {
  test(`${bad} is refused, with what to write.`, () => {
    assert.throws(() => new ReplicaNames({ names: [bad] }), {
      message: `${bad} is no name of replicas: write dns:///NAME:PORT, as in dns:///tidegate-store:7443`,
    });
  });
}
