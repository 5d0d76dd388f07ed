import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { NODE_FLAGS, projectRoot } from '@tidegate/local';
import { whyNoClone } from '../support/git.ts';
import { checkedIn, dockerfile, entrypoint, sentToBuild } from './dockerfile.ts';

test('The image runs the parts with the Node.js version and flags of tidegate start.', () => {
  const [program, ...rest] = entrypoint();
  assert.equal(program, 'node');
  assert.deepEqual(rest.slice(0, -1), NODE_FLAGS);
  const { dependencies } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8'));
  assert.ok(dockerfile.includes(`ARG NODE_VERSION=${dependencies.node}\n`));
});

test('The image and the chart use the same numeric user.', () => {
  const values = readFileSync(join(projectRoot, 'charts/tidegate/values.yaml'), 'utf8');
  const [, user] = /^runAsUser: (\d+)$/m.exec(values) as unknown as [string, string];
  assert.match(dockerfile, new RegExp(`^USER ${user}:${user}$`, 'm'));
});

test('The image exposes the ports that the chart uses.', () => {
  const [, ports = ''] = /^EXPOSE (.*)$/m.exec(dockerfile) ?? [];
  assert.deepEqual(ports.split(' '), ['6443', '6480', '7443', '8081']);
});

test('The build context contains exactly the files that the image needs.', {
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
