import assert from 'node:assert/strict';
import { test } from 'node:test';
import { needs } from '@tidegate/testkit';
import { LEFT_OUT_IN_CI } from './left-out-in-ci.ts';
import { lineOf, listedWithoutTest, missedInCi, type Skipped, skippedText } from './skipped.ts';

const one = (name: string, reason: string, isGroup = false): Skipped => ({ name, reason, isGroup });

test('Every missing tool has one line, with the number of skipped tests and the page of the tool.', () => {
  const all = [
    one('a', needs('kubectl')),
    one('b', needs('kubectl'), true),
    one('c', needs('kubectl')),
    one('d', needs('git')),
    one('e', needs('go', 'go get failed: no network\nmore'), true),
  ];
  assert.deepEqual(skippedText(all).split('\n'), [
    'left out: 2 tests and 1 group of tests need kubectl, or Go 1.25 or newer to build it: https://kubernetes.io/docs/tasks/tools/',
    'left out: 1 test needs git: https://git-scm.com/downloads',
    'left out: 1 group of tests needs Go 1.25 or newer (go get failed: no network): https://go.dev/doc/install',
    '',
  ]);
});

test('A test that is skipped for another reason has a line of its own.', () => {
  const all = [one('a', 'root may write everywhere'), one('b', 'root may write everywhere')];
  assert.equal(skippedText(all), 'skipped: a: root may write everywhere\nskipped: b: root may write everywhere\n');
  assert.equal(skippedText([]), '');
});

test('CI may only skip the listed tests for the listed reasons.', () => {
  const listed = LEFT_OUT_IN_CI.map(({ name, reason }) => one(name, reason));
  const [first] = listed as [Skipped];
  const others = [one(first.name, needs('go')), one('a', first.reason)];
  assert.deepEqual(missedInCi([...listed, ...others]).map(lineOf), others.map(lineOf));
});

test('A listed name that no test has is found.', () => {
  const [first, ...others] = LEFT_OUT_IN_CI.map(({ name, reason }) => one(name, reason)) as [Skipped, ...Skipped[]];
  assert.deepEqual(listedWithoutTest([first.name], others), []);
  assert.deepEqual(listedWithoutTest(['Another test.'], others), [first.name]);
});
