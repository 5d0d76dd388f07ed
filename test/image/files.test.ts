import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { NODE_FLAGS, projectRoot } from '@tidegate/local';
import { whyNoClone } from '../support/git.ts';
import { checkedIn, dockerfile, entrypoint, sentToBuild } from './dockerfile.ts';

test('The image runs the parts with the flags that tidegate start gives them, by the node of the project.', () => {
  const [program, ...rest] = entrypoint();
  assert.equal(program, 'node');
  assert.deepEqual(rest.slice(0, -1), NODE_FLAGS);
  const { dependencies } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8'));
  assert.ok(dockerfile.includes(`ARG NODE_VERSION=${dependencies.node}\n`));
});

test('The image belongs to nobody in particular, by number, and so does what the chart runs.', () => {
  const values = readFileSync(join(projectRoot, 'charts/tidegate/values.yaml'), 'utf8');
  const [, user] = /^runAsUser: (\d+)$/m.exec(values) as unknown as [string, string];
  assert.match(dockerfile, new RegExp(`^USER ${user}:${user}$`, 'm'));
});

test('The image shows the ports at which the chart reaches the parts.', () => {
  const [, ports = ''] = /^EXPOSE (.*)$/m.exec(dockerfile) ?? [];
  assert.deepEqual(ports.split(' '), ['6443', '6480', '7443', '8081']);
});

test('What the image is built of reaches the build, and what it is not built of does not.', {
  skip: whyNoClone() ?? false,
}, () => {
  const files = checkedIn();
  const sent = sentToBuild();
  for (const file of files) {
    const isNeeded = /^(services|packages|programs|proto)\/|(^|\/)package(-lock)?\.json$|^tsconfig\.base|^LICENSE$/;
    if (isNeeded.test(file)) assert.ok(sent.includes(file), `${file} is left out`);
  }
  assert.deepEqual(sent.filter((file) => /^(test|bench|docs|charts)\//.test(file)).sort(), [
    'bench/package.json',
    'test/package.json',
  ]);
});
