import assert from 'node:assert/strict';
import { test } from 'node:test';
import { processTerminal, Screen } from './screen.ts';

function screenAt(live: boolean) {
  let now = 0;
  let tick = () => {};
  let output = '';
  const terminal = {
    live,
    write(text: string) {
      output += text;
    },
  };
  const clock = {
    now: () => now,
    every(_: number, callback: () => void) {
      tick = callback;
      return () => {
        tick = () => {};
      };
    },
  };
  return {
    screen: new Screen(terminal, clock),
    pass(ms: number) {
      for (const end = now + ms; now < end; ) {
        now += 100;
        tick();
      }
    },
    take() {
      const taken = output;
      output = '';
      return taken;
    },
  };
}

test('Nothing is said of what takes less than a second.', async () => {
  const { screen, pass, take } = screenAt(true);
  const { promise, resolve } = Promise.withResolvers<void>();
  const shown = screen.during('working', promise);
  pass(900);
  resolve();
  await shown;
  assert.equal(take(), '');
});

test('Without a terminal there are plain lines: one after a second, then one each ten seconds.', async () => {
  const { screen, pass, take } = screenAt(false);
  const { promise, resolve } = Promise.withResolvers<void>();
  const shown = screen.during('working', promise);
  pass(21_500);
  resolve();
  await shown;
  assert.equal(take(), 'working  1 s\nworking  11 s\nworking  21 s\n');
});

test('On a terminal one line moves, and is gone at the end.', async () => {
  const { screen, pass, take } = screenAt(true);
  const { promise, resolve } = Promise.withResolvers<void>();
  const shown = screen.during('working', promise);
  pass(2000);
  const drawn = take();
  assert.ok(!drawn.includes('\n'));
  assert.match(drawn.split('\r').at(-1) ?? '', /\[K. working {2}2 s$/);
  resolve();
  await shown;
  assert.equal(take(), '\r\x1b[K');
});

test('A line that comes in between takes the place of the moving one.', () => {
  const { screen, pass, take } = screenAt(true);
  void screen.during('working', new Promise(() => {}));
  pass(1000);
  take();
  screen.line('store died');
  assert.equal(take(), '\r\x1b[Kstore died\n');
});

test('Work that goes on at the same time shares the line.', () => {
  const { screen, pass, take } = screenAt(true);
  void screen.during('building', new Promise(() => {}));
  void screen.during('starting', new Promise(() => {}));
  pass(1000);
  assert.match(take(), /building, starting {2}1 s$/);
});

test('The failure of the work is the failure of its caller.', async () => {
  const { screen } = screenAt(true);
  await assert.rejects(screen.during('working', Promise.reject(new Error('no'))), /^Error: no$/);
});

test('NO_COLOR, CI and a dumb terminal ask for plain lines.', () => {
  const stream = { isTTY: true, on: () => {}, write: () => true } as unknown as NodeJS.WriteStream;
  assert.equal(processTerminal({}, stream).live, true);
  for (const env of [{ NO_COLOR: '1' }, { CI: 'true' }, { TERM: 'dumb' }]) {
    assert.equal(processTerminal(env, stream).live, false);
  }
});
