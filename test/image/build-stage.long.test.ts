import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { projectRoot } from '@tidegate/local';
import { temporaryDir } from '@tidegate/testkit';
import { buildCommands, entrypoint, sentToBuild } from './dockerfile.ts';

test('The commands of the first stage of the Dockerfile succeed with the files that are sent to the build.', () => {
  const dir = temporaryDir('build-stage');
  const [source, app] = [join(dir.path, 'src'), join(dir.path, 'app')];
  for (const file of sentToBuild()) {
    mkdirSync(dirname(join(source, file)), { recursive: true });
    copyFileSync(join(projectRoot, file), join(source, file));
  }
  // with the Node.js version of the image
  const env = { ...process.env, PATH: `${dirname(process.execPath)}:${process.env.PATH}` };
  try {
    for (const command of buildCommands()) {
      const here = command.replace(' /app', ` ${app}`).replace(' /state', ` ${join(dir.path, 'state')}`);
      execFileSync('sh', ['-e', '-c', here], { cwd: source, env, stdio: 'pipe' });
    }
    const [, ...flags] = entrypoint().map((one) => one.replace('/app', app));
    const help = execFileSync(process.execPath, [...flags, 'gateway', '--help'], { cwd: dir.path, encoding: 'utf8' });
    assert.match(help, /^tidegate gateway\n/);
  } finally {
    dir.remove();
  }
});
