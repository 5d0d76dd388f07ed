import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { oddDefinition, until } from '@tidegate/testkit';
import type { Client } from './support/client.ts';
import { type ListedOperation, listedInV3 } from './support/open-api-operations.ts';
import type { RunningSystem } from './support/running-system.ts';
import { sharedSystem } from './support/shared-system.ts';

/** Invalid values by parameter; a server that reads the parameter rejects them. */
const INVALID_VALUES: Readonly<Record<string, string>> = {
  allowWatchBookmarks: 'allowWatchBookmarks=x&watch=1',
  continue: 'continue=x',
  dryRun: 'dryRun=x',
  fieldManager: `fieldManager=${'x'.repeat(129)}`,
  fieldSelector: 'fieldSelector=x',
  fieldValidation: 'fieldValidation=x',
  gracePeriodSeconds: 'gracePeriodSeconds=x',
  labelSelector: 'labelSelector=!!',
  limit: 'limit=x',
  limitBytes: 'limitBytes=x',
  orphanDependents: 'orphanDependents=x',
  propagationPolicy: 'propagationPolicy=x',
  resourceVersion: 'resourceVersion=x',
  resourceVersionMatch: 'resourceVersionMatch=x&resourceVersion=1',
  sendInitialEvents: 'sendInitialEvents=x&watch=1',
  sinceSeconds: 'sinceSeconds=x',
  sinceTime: 'sinceTime=x',
  tailLines: 'tailLines=x',
  timeoutSeconds: 'timeoutSeconds=x&watch=1',
  watch: 'watch=x',
};
const GROUP = 'odd.example.com';
const AT_ONCE = 32;

describe('Published query parameters', () => {
  let system: RunningSystem;
  let client: Client;
  before(async () => {
    system = await sharedSystem();
    ({ client } = system);
    await client.request('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
      body: oddDefinition(GROUP),
    });
    await until('the custom kind', async () => (await client.get(`/openapi/v3/apis/${GROUP}/v1`)).code === 200);
  });
  after(() => system.stop());

  /** The code and message of an answer. Without a body, the options of a delete are read from its query. */
  const send = async ({ path, method, takes }: ListedOperation, query: string): Promise<string> => {
    const place = path.replace('{namespace}', 'default').replace('{name}', 'nothing');
    const type = method === 'patch' ? 'application/merge-patch+json' : 'application/json';
    const object = method === 'put' ? { metadata: { name: 'nothing' } } : {};
    const body = takes === undefined || method === 'delete' ? {} : { body: object, headers: { 'Content-Type': type } };
    const { code, json } = await client.request(method.toUpperCase(), `${place}?${query}`, body);
    return code < 300 ? `${code}` : `${code} ${json?.message}`;
  };

  let checked = 0;
  const check = async (operation: ListedOperation): Promise<string[]> => {
    // parameters of proxied requests are read by the back end
    if (operation.answers[200]?.includes('*/*')) return [];
    const found: string[] = [];
    // a watch of one object uses a field selector
    const isWatched = operation.path.endsWith('{name}') && operation.query.includes('watch');
    const harmless = operation.method !== 'get' ? 'dryRun=All' : isWatched ? 'watch=1&timeoutSeconds=1' : 'a=b';
    const usual = await send(operation, harmless);
    for (const name of operation.query) {
      const wrong = INVALID_VALUES[name];
      if (wrong === undefined) continue;
      // the first of duplicate parameters counts
      const answer = await send(operation, name === 'dryRun' ? wrong : `${wrong}&${harmless}`);
      checked++;
      const isRead = /^4(00|22) /.test(answer) && answer !== usual;
      if (!isRead) found.push(`${operation.method} ${operation.path} ${name}: ${answer}`);
    }
    return found;
  };

  test('Every published parameter is read.', async () => {
    const listed = await listedInV3(client);
    const found: string[] = [];
    const queue = listed.values();
    const work = async () => {
      for (const operation of queue) found.push(...(await check(operation)));
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    assert.deepEqual(found, []);
    assert.ok(checked > 2000, `${checked}`);
  });
});
