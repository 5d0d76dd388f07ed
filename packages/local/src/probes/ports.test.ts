import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { freePort, freePorts, requireFreePort } from './ports.ts';

test('Free ports are all different, and can be used.', async () => {
  const ports = await freePorts(8);
  assert.equal(new Set(ports).size, 8);
  for (const port of ports) await requireFreePort(port, '127.0.0.1');
});

test('A port is returned once, because its user may not listen on it yet.', async () => {
  const ports = await Promise.all(Array.from({ length: 100 }, () => freePort()));
  assert.equal(new Set(ports).size, 100);
});

test('No other process gets a port of this process, whether or not it is used.', async () => {
  const script = `import { freePorts } from '${import.meta.resolve('./ports.ts')}'; console.log(JSON.stringify(await freePorts(100)));`;
  const [mine, theirs] = await Promise.all([
    freePorts(100),
    promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]).then(({ stdout }) =>
      JSON.parse(stdout),
    ),
  ]);
  assert.equal(new Set([...mine, ...theirs]).size, 200);
});

test('A port in use is a one-line error that names the process and the option.', async () => {
  const server = createServer();
  const port = await freePort();
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const by = process.platform === 'linux' ? ` by .+ \\(process ${process.pid}\\)` : '';
  await assert.rejects(requireFreePort(port, '127.0.0.1'), new RegExp(`^Error: port ${port} is taken${by}: .*--port`));
  server.close();
});

test('An address of another machine is a one-line error that names the option.', async () => {
  await assert.rejects(requireFreePort(0, '192.0.2.1'), /192\.0\.2\.1 is no address of this machine: .*--bind-address/);
});
