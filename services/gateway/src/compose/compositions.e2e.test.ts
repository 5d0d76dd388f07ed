import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { kindsOf, readDefinition } from '@tidegate/kinds';
import { startTidegate, type TestTidegate, temporaryDir } from '@tidegate/testkit';
import { type InProcessGateway, inProcessGateway } from '../testing/in-process-gateway.ts';

const OPEN = '--authorization-mode=AlwaysAllow';
const DEFINITION = {
  metadata: { name: 'things.example.com', generation: 1 },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' },
    versions: [
      { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', properties: {} } } },
    ],
  },
  status: {
    acceptedNames: { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' },
    conditions: [
      { type: 'NamesAccepted', status: 'True' },
      { type: 'Established', status: 'True' },
    ],
    storedVersions: ['v1'],
  },
};

describe('Two gateways in one process, over one store', () => {
  const dir = temporaryDir('two-gateways');
  let system: TestTidegate;
  let open: InProcessGateway;
  let closed: InProcessGateway;

  before(async () => {
    system = await startTidegate();
    const tokens = join(dir.path, 'tokens.csv');
    writeFileSync(tokens, 'ann-token,ann,1\nadmin-token,admin,2,system:masters\n');
    open = await inProcessGateway(system, [`--token-auth-file=${tokens}`, OPEN]);
    closed = await inProcessGateway(system, [`--token-auth-file=${tokens}`]);
  });

  after(async () => {
    for (const gateway of [open, closed]) await gateway?.stop();
    await system?.stop();
    dir.remove();
  });

  test('share the same objects.', async () => {
    const path = '/api/v1/namespaces/default/configmaps';
    assert.equal(await open.ask('POST', path, 'admin-token', { metadata: { name: 'shared' } }), 201);
    assert.equal(await closed.ask('GET', `${path}/shared`, 'admin-token'), 200);
  });

  test('each have their own permissions.', async () => {
    const path = '/api/v1/namespaces/default/secrets';
    assert.equal(await open.ask('GET', path, 'ann-token'), 200);
    assert.equal(await closed.ask('GET', path, 'ann-token'), 403);
    assert.equal(await open.ask('GET', path, 'ann-token'), 200);
  });

  test('each have their own custom kinds.', async () => {
    const { registry } = open.gateway;
    const scale = registry.find('apps', 'v1', 'deployments')?.entry.subresources.scale?.entry;
    assert.ok(scale);
    registry.setCustom(kindsOf(readDefinition(DEFINITION), scale));
    const path = '/apis/example.com/v1/namespaces/default/things';
    assert.equal(await open.ask('GET', path, 'admin-token'), 200);
    assert.equal(await closed.ask('GET', path, 'admin-token'), 404);
  });

  test('each count only their own requests.', async () => {
    const counted = async ({ gateway }: InProcessGateway) => (await gateway.metrics.exposition(undefined)).text;
    const things = /apiserver_request_total\{[^}]*resource="things"[^}]*\} [1-9]/;
    assert.match(await counted(open), things);
    assert.doesNotMatch(await counted(closed), things);
  });
});
