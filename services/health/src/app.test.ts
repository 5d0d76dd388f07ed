import assert from 'node:assert/strict';
import { get, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { aggregated } from './aggregate.ts';
import { createApp } from './app.ts';
import { BoardHosts } from './board/board-hosts.ts';
import { History } from './history/history.ts';
import { reportOf } from './report.ts';
import { replica } from './testing/answers.ts';

const MINUTE = 60_000;
const history = new History({ minutes: 60 });
let replicas = [replica()];
let now = 3 * MINUTE;
let server: Server;
const hosts = new BoardHosts(['board.example.com', 'fd00::7'], {
  names: () => ['node-1'],
  addresses: () => ['10.1.2.3'],
});

before(async () => {
  for (const m of [1, 3]) history.note(replicas[0] as (typeof replicas)[0], [], m * MINUTE);
  const checks = (endpoint: 'livez' | 'readyz' | 'healthz') => aggregated(replicas, endpoint);
  server = createApp({ report: () => reportOf(replicas, now), checks, history, now: () => now, hosts });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
after(() => {
  server.closeAllConnections();
  server.close();
});

const ask = (path: string, method = 'GET') =>
  fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`, { method });

test("Every answer has a policy that allows only the page's own style and script.", async () => {
  for (const [path, type] of [
    ['/', /^text\/html/],
    ['/board.css', /^text\/css/],
    ['/board.js', /^text\/javascript/],
    ['/report.json', /^application\/json/],
    ['/history.json', /^application\/json/],
    ['/readyz', /^text\/plain/],
    ['/nowhere', /^text\/plain/],
  ] as const) {
    const { headers } = await ask(path);
    assert.match(headers.get('content-type') ?? '', type, path);
    assert.equal(headers.get('x-content-type-options'), 'nosniff', path);
    const policy = headers.get('content-security-policy') ?? '';
    assert.match(policy, /^default-src 'none';/, path);
    assert.doesNotMatch(policy, /unsafe/, path);
  }
});

const PAGES = ['/', '/board.css', '/board.js', '/report.json', '/history.json', '/nowhere'];

/** The code of the answer to a request that names this host; fetch would name its own. */
function codeFor(host: string | undefined, path: string): Promise<number | undefined> {
  const { port } = server.address() as AddressInfo;
  const headers = host === undefined ? {} : { Host: host };
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, path, headers, setHost: false, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode);
    }).on('error', reject);
  });
}

test('Under a foreign host name the board answers 421, except to probes.', async () => {
  for (const host of [
    'evil.example',
    'localhost.evil.example',
    'board.example.com.evil.example',
    '10.9.9.9:6480',
    ':80',
    '',
  ]) {
    for (const path of PAGES) assert.equal(await codeFor(host, path), 421, `${host} ${path}`);
    for (const path of ['/livez', '/readyz?verbose', '/healthz', '/readyz/none'])
      assert.notEqual(await codeFor(host, path), 421, `${host} ${path}`);
  }
});

test('Accepted hosts are loopback, the machine’s names and addresses, and the configured hosts, with any port.', async () => {
  const own = [
    'localhost',
    'a.localhost',
    '127.0.0.1',
    '127.9.9.9',
    '[::1]',
    '[::ffff:127.0.0.1]',
    'node-1',
    '10.1.2.3',
  ];
  for (const host of [...own, 'board.example.com', 'BOARD.Example.com.', '[fd00::7]', '[fd00:0::7]']) {
    for (const port of ['', ':6480']) assert.equal(await codeFor(host + port, '/report.json'), 200, host + port);
  }
});

test('A configured host has no port, no scheme and no path.', () => {
  for (const wrong of ['board:80', 'https://board', 'board/x', '', '[::1]:80', 'a b']) {
    assert.throws(() => new BoardHosts([wrong]), /--board-hosts takes names or addresses without a port/, wrong);
  }
});

test('Unknown paths are 404, and bodies are rejected.', async () => {
  const there = ['/', '/report.json', '/livez', '/board.css?x'];
  for (const path of ['/nowhere', '/../package.json', '/board', '/readyz/none', ...there.slice(3)])
    assert.equal((await ask(path)).status, 404, path);
  for (const path of there) assert.equal((await ask(path, 'POST')).status, 405, path);
  const head = await ask('/', 'HEAD');
  assert.deepEqual([head.status, await head.text()], [200, '']);
});

test('The report has the accepted state; the page is rendered again after half a second.', async () => {
  const page = async () => /<title>(.*)<\/title>/.exec(await (await ask('/')).text())?.[1];
  const state = async () => ((await (await ask('/report.json')).json()) as { state: string }).state;
  now += 1000;
  assert.deepEqual([await page(), await state()], ['Tidegate is healthy', 'ok']);
  replicas = [replica({ checks: { postgres: { ok: false, message: 'gone' } } })];
  assert.deepEqual([await page(), await state()], ['Tidegate is healthy', 'failing']);
  now += 500;
  assert.equal(await page(), 'Tidegate is failing');
  const readyz = await ask('/readyz');
  assert.equal(readyz.status, 500);
  assert.match(await readyz.text(), /^\[-\]store\/store-1\/postgres failed: reason withheld$/m);
  replicas = [replica()];
});

test('The history has each kept minute, as digits.', async () => {
  now = 3 * MINUTE + 10_000;
  const told = (await (await ask('/history.json')).json()) as {
    minutes: number;
    replicas: Array<{ instance: string; state: string; checks: Record<string, string>; lagMs: number[] }>;
  };
  const [one] = told.replicas;
  assert.deepEqual([told.minutes, one?.instance, one?.state.length], [60, 'store-1', 60]);
  assert.deepEqual([one?.state.slice(-4), one?.checks.postgres?.slice(-4)], ['0101', '0101']);
  assert.deepEqual(one?.lagMs.slice(-4), [0, 7.5, 0, 7.5]);
});
