import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { get, request } from 'node:https';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { isRunning } from '@tidegate/local';
import { whyNoNats } from './start-nats.ts';
import { startTidegate, type TestTidegate } from './start-tidegate.ts';
import { temporaryDir } from './temporary-dir.ts';
import { until } from './until.ts';

const noNats = (await whyNoNats()) ?? false;
const PARTS = ['postgres', 'nats', 'store', 'watch', 'gateway', 'health'];
const isStarted = (part: string) => part !== 'nats' || noNats === false;

/** Sorts the words by their position in the output. */
function order(output: string, words: readonly string[]): string[] {
  return words.toSorted((a, b) => output.indexOf(a) - output.indexOf(b));
}

/** Creates or reads a ConfigMap. */
async function configMap(tidegate: TestTidegate, method: 'GET' | 'POST'): Promise<string> {
  const path = '/api/v1/namespaces/default/configmaps';
  const answer = Promise.withResolvers<string>();
  const body = JSON.stringify({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'kept' },
    data: { is: 'here' },
  });
  const headers = { authorization: `Bearer ${tidegate.token}`, 'content-type': 'application/json' };
  const options = { method, headers, ca: readFileSync(tidegate.caFile), agent: false };
  const sent = request(`${tidegate.server}${path}${method === 'GET' ? '/kept' : ''}`, options, async (response) => {
    answer.resolve((await response.toArray()).join(''));
  });
  sent.on('error', answer.reject);
  sent.end(method === 'POST' ? body : undefined);
  return answer.promise;
}

function status(tidegate: TestTidegate, path: string, token?: string): Promise<number> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return new Promise((resolve, reject) => {
    const ca = readFileSync(tidegate.caFile);
    get(`${tidegate.server}${path}`, { ca, headers, agent: false }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0));
    }).on('error', reject);
  });
}

test('The whole system', async (t) => {
  const tidegate = await startTidegate();
  after(() => tidegate.stop());

  await t.test('serves its administrator, and other clients only for health and version.', async () => {
    assert.equal(await status(tidegate, '/readyz'), 200);
    assert.equal(await status(tidegate, '/version'), 200);
    assert.equal(await status(tidegate, '/api/v1/namespaces', tidegate.token), 200);
    assert.ok([401, 403].includes(await status(tidegate, '/api/v1/namespaces')));
  });

  await t.test('prints the address, the next commands, and the paths when it is ready.', () => {
    for (const words of [
      tidegate.server,
      `export KUBECONFIG=${tidegate.kubeconfig}`,
      'kubectl get',
      tidegate.dataDir,
      'Ctrl-C',
    ]) {
      assert.ok(tidegate.output.includes(words), words);
    }
  });

  for (const part of PARTS) {
    await t.test(
      `restarts ${part} when it is killed, and reports it.`,
      { skip: !isStarted(part) && noNats },
      async () => {
        const before = tidegate.pid(part);
        process.kill(before, 'SIGKILL');
        await tidegate.restarted(part, before);
        const message = new RegExp(`^${part} ended by SIGKILL.*; starting it again now$`, 'm');
        await until(
          () => `the message about the restart:\n${tidegate.output}`,
          () => message.test(tidegate.output),
        );
        await until('readiness', async () => (await status(tidegate, '/readyz').catch(() => 0)) === 200);
      },
    );
  }

  await t.test('stops in order with exit code 0, and removes ephemeral data.', async () => {
    assert.equal(await tidegate.stop(), 0);
    const parts = ['gateway', 'health', 'watch', 'store', 'nats', 'postgres'].filter(isStarted);
    const words = parts.map((part) => `${part} stopped`);
    assert.deepEqual(order(tidegate.output, words), words);
    assert.ok(!existsSync(tidegate.dataDir));
  });
});

test('After a launcher that was killed', async (t) => {
  const temporary = temporaryDir('kept');
  const dataDir = join(temporary.path, 'data');
  const first = await startTidegate({ dataDir });
  after(() => first.stop());
  const parts = PARTS.filter(isStarted).map((name) => first.part(name));
  const token = first.token;
  assert.match(await configMap(first, 'POST'), /"is":"here"/);
  await first.kill();
  const second = await startTidegate({ dataDir, args: ['--workers=2', '--no-nats'] });
  after(() => second.stop());

  await t.test('no part keeps running, and the next start uses the data without a message.', async () => {
    assert.deepEqual(parts.filter(isRunning), []);
    assert.equal(second.token, token);
    assert.match(await configMap(second, 'GET'), /"is":"here"/);
  });

  await t.test('it also starts without NATS, and the screen shows this.', () => {
    assert.match(second.output, /bus +no NATS \(--no-nats\): the watch service follows the store's log/);
    assert.throws(() => second.pid('nats'));
  });

  await t.test('it starts with several workers, which share one port.', async () => {
    assert.notEqual(second.pid('gateway-1'), second.pid('gateway-2'));
    process.kill(second.pid('gateway-1'), 'SIGSTOP');
    process.kill(second.pid('gateway-1'), 'SIGKILL');
    assert.equal(await until('the other worker', () => status(second, '/version').catch(() => undefined)), 200);
  });

  assert.equal(await second.stop(), 0);
  temporary.remove();
});
