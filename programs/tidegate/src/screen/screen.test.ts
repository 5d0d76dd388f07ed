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

test('Work of less than a second is not shown.', async () => {
  const { screen, pass, take } = screenAt(true);
  const { promise, resolve } = Promise.withResolvers<void>();
  const shown = screen.during('working', promise);
  pass(900);
  resolve();
  await shown;
  assert.equal(take(), '');
});

test('Without a terminal plain lines are printed: one after a second, then one every ten seconds.', async () => {
  const { screen, pass, take } = screenAt(false);
  const { promise, resolve } = Promise.withResolvers<void>();
  const shown = screen.during('working', promise);
  pass(21_500);
  resolve();
  await shown;
  assert.equal(take(), 'working  1 s\nworking  11 s\nworking  21 s\n');
});

test('On a terminal one animated line is shown, and removed at the end.', async () => {
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

test('A line that is printed meanwhile replaces the animated line.', () => {
  const { screen, pass, take } = screenAt(true);
  void screen.during('working', new Promise(() => {}));
  pass(1000);
  take();
  screen.line('store died');
  assert.equal(take(), '\r\x1b[Kstore died\n');
});

test('Work at the same time shares the line.', () => {
  const { screen, pass, take } = screenAt(true);
  void screen.during('building', new Promise(() => {}));
  void screen.during('starting', new Promise(() => {}));
  pass(1000);
  assert.match(take(), /building, starting {2}1 s$/);
});

test('An error of the work is thrown to its caller.', async () => {
  const { screen } = screenAt(true);
  await assert.rejects(screen.during('working', Promise.reject(new Error('no'))), /^Error: no$/);
});

test('With NO_COLOR, CI or a dumb terminal plain lines are printed.', () => {
  const stream = { isTTY: true, on: () => {}, write: () => true } as unknown as NodeJS.WriteStream;
  assert.equal(processTerminal({}, stream).live, true);
  for (const env of [{ NO_COLOR: '1' }, { CI: 'true' }, { TERM: 'dumb' }]) {
    assert.equal(processTerminal(env, stream).live, false);
  }
});
