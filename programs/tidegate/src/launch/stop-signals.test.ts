import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import { listenForStop } from './stop-signals.ts';

function rig() {
  let now = 0;
  const target = new EventEmitter();
  const pass = (ms: number): void => {
    now += ms;
  };
  return { ...listenForStop(() => now, target), target, pass };
}

test('The first Ctrl-C requests a stop.', () => {
  const { closing, hurry, target } = rig();
  target.emit('SIGINT');
  assert.ok(closing.aborted && !hurry.aborted);
});

test('The same Ctrl-C that arrives again through npm counts once.', () => {
  const { hurry, target, pass } = rig();
  target.emit('SIGINT');
  pass(50);
  target.emit('SIGINT');
  assert.ok(!hurry.aborted);
});

test('A second Ctrl-C requests a stop at once.', () => {
  const { hurry, target, pass } = rig();
  target.emit('SIGINT');
  pass(1000);
  target.emit('SIGINT');
  assert.ok(hurry.aborted);
});

test('The end of the bootstrap requests a stop.', () => {
  const { closing, target } = rig();
  target.emit('disconnect');
  assert.ok(closing.aborted);
});
