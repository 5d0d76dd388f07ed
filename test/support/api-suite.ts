import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type TestTidegate, until, whyNoNats } from '@tidegate/testkit';
import { type Client, configMap, MAPS, type WatchEvent } from './client.ts';
import { runningSystem } from './running-system.ts';

const noNats = (await whyNoNats()) ?? false;

/** The promises of the API, tested with NATS and without. */
export function apiSuite(title: string, args: readonly string[]): void {
  describe(title, { skip: !args.includes('--no-nats') && noNats }, () => {
    let tidegate: TestTidegate;
    let client: Client;

    before(async () => {
      ({ tidegate, client } = await runningSystem({ args }));
    });
    after(async () => {
      client.close();
      await tidegate.stop();
    });

    const create = async (name: string, data: Record<string, string> = {}, metadata: object = {}) => {
      const reply = await client.request('POST', MAPS, { body: configMap(name, data, metadata) });
      assert.equal(reply.code, 201, reply.text);
      return reply.json;
    };

    test('An object can be created, read, replaced and deleted, and each change has a new version.', async () => {
      const made = await create('life', { a: '1' });
      assert.match(made.metadata.uid, /^[0-9a-f-]{36}$/);
      assert.match(made.metadata.creationTimestamp, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
      assert.deepEqual((await client.get(`${MAPS}/life`)).json, made);

      const put = await client.request('PUT', `${MAPS}/life`, { body: { ...made, data: { a: '2' } } });
      assert.equal(put.code, 200);
      assert.equal(put.json.data.a, '2');
      assert.ok(BigInt(put.json.metadata.resourceVersion) > BigInt(made.metadata.resourceVersion));

      const gone = await client.request('DELETE', `${MAPS}/life`);
      assert.equal(gone.json.status, 'Success');
      assert.deepEqual(gone.json.details, { name: 'life', kind: 'configmaps', uid: made.metadata.uid });
      const missing = await client.get(`${MAPS}/life`);
      assert.equal(missing.code, 404);
      assert.deepEqual(missing.json, {
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        message: 'configmaps "life" not found',
        reason: 'NotFound',
        details: { name: 'life', kind: 'configmaps' },
        code: 404,
      });
    });

    test('An update with a stale resourceVersion is rejected with 409 and changes nothing.', async () => {
      const made = await create('stale');
      const second = await client.request('PUT', `${MAPS}/stale`, { body: { ...made, data: { by: 'second' } } });
      const first = await client.request('PUT', `${MAPS}/stale`, { body: { ...made, data: { by: 'first' } } });
      assert.equal(first.code, 409);
      assert.equal(first.json.reason, 'Conflict');
      assert.deepEqual((await client.get(`${MAPS}/stale`)).json, second.json);
    });

    test('An update without changes keeps the resourceVersion.', async () => {
      const made = await create('same', { a: '1' });
      const put = await client.request('PUT', `${MAPS}/same`, { body: made });
      assert.equal(put.json.metadata.resourceVersion, made.metadata.resourceVersion);
    });

    test('Creating an object with an existing name is rejected with 409.', async () => {
      await create('twice');
      const again = await client.request('POST', MAPS, { body: configMap('twice') });
      assert.equal(again.code, 409);
      assert.equal(again.json.reason, 'AlreadyExists');
    });

    test('A generated name ends with five random characters.', async () => {
      const reply = await client.request('POST', MAPS, {
        body: { ...configMap(''), metadata: { generateName: 'gen-' } },
      });
      assert.match(reply.json.metadata.name, /^gen-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
    });

    test('JSON patch, merge patch and strategic merge patch are applied.', async () => {
      await create('patched', { a: '1', b: '2' }, { labels: { x: 'y' } });
      const patch = (type: string, body: unknown) =>
        client.request('PATCH', `${MAPS}/patched`, { body, headers: { 'Content-Type': type } });
      assert.deepEqual((await patch('application/merge-patch+json', { data: { a: null, c: '3' } })).json.data, {
        b: '2',
        c: '3',
      });
      const strategic = await patch('application/strategic-merge-patch+json', {
        metadata: { finalizers: ['example.com/a'] },
      });
      assert.deepEqual(strategic.json.metadata.finalizers, ['example.com/a']);
      const added = await patch('application/strategic-merge-patch+json', {
        metadata: { finalizers: ['example.com/b'] },
      });
      assert.deepEqual(added.json.metadata.finalizers, ['example.com/b', 'example.com/a']);
      const json = await patch('application/json-patch+json', [
        { op: 'test', path: '/data/b', value: '2' },
        { op: 'remove', path: '/metadata/finalizers' },
      ]);
      assert.equal(json.json.metadata.finalizers, undefined);
      const failed = await patch('application/json-patch+json', [{ op: 'test', path: '/data/b', value: '9' }]);
      assert.equal(failed.code, 422);
      assert.equal((await patch('application/fancy', {})).code, 415);
    });

    test('Concurrent patches without a resourceVersion are all applied.', async () => {
      await create('busy');
      const keys = Array.from({ length: 12 }, (_, i) => `k${i}`);
      const replies = await Promise.all(
        keys.map((key) =>
          client.request('PATCH', `${MAPS}/busy`, {
            body: { data: { [key]: 'x' } },
            headers: { 'Content-Type': 'application/merge-patch+json' },
          }),
        ),
      );
      assert.deepEqual(
        replies.map((reply) => reply.code),
        keys.map(() => 200),
      );
      assert.deepEqual(Object.keys((await client.get(`${MAPS}/busy`)).json.data).sort(), keys.sort());
    });

    test('A finalizer delays the deletion of an object until it is removed.', async () => {
      await create('held', {}, { finalizers: ['example.com/hold'] });
      const deleted = await client.request('DELETE', `${MAPS}/held`);
      assert.ok(deleted.json.metadata.deletionTimestamp);
      const more = {
        ...deleted.json,
        metadata: { ...deleted.json.metadata, finalizers: ['example.com/hold', 'example.com/more'] },
      };
      const rejected = await client.request('PUT', `${MAPS}/held`, { body: more });
      assert.equal(rejected.code, 422);
      assert.match(rejected.json.message, /no new finalizers can be added/);
      const free = { ...deleted.json, metadata: { ...deleted.json.metadata, finalizers: [] } };
      assert.equal((await client.request('PUT', `${MAPS}/held`, { body: free })).code, 200);
      assert.equal((await client.get(`${MAPS}/held`)).code, 404);
    });

    test('A list includes the last write, and all its pages show one snapshot.', async () => {
      const space = '/api/v1/namespaces';
      await client.request('POST', space, { body: { metadata: { name: 'paged' } } });
      const maps = `${space}/paged/configmaps`;
      for (let i = 0; i < 7; i++) await client.request('POST', maps, { body: configMap(`m${i}`) });
      const whole = await client.get(maps);
      assert.deepEqual(
        whole.json.items.map((item: { metadata: { name: string } }) => item.metadata.name),
        ['m0', 'm1', 'm2', 'm3', 'm4', 'm5', 'm6'],
      );
      assert.equal(whole.json.metadata.continue, undefined);

      const first = await client.get(`${maps}?limit=3`);
      assert.equal(first.json.metadata.remainingItemCount, 4);
      await client.request('DELETE', `${maps}/m4`);
      await client.request('POST', maps, { body: configMap('m5x') });
      const names: string[] = first.json.items.map((item: { metadata: { name: string } }) => item.metadata.name);
      let page = first;
      while (page.json.metadata.continue) {
        page = await client.get(`${maps}?limit=3&continue=${page.json.metadata.continue}`);
        assert.equal(page.json.metadata.resourceVersion, first.json.metadata.resourceVersion);
        names.push(...page.json.items.map((item: { metadata: { name: string } }) => item.metadata.name));
      }
      assert.deepEqual(names, ['m0', 'm1', 'm2', 'm3', 'm4', 'm5', 'm6']);
      assert.equal(page.json.metadata.continue, '');
      assert.deepEqual(
        (await client.get(`${maps}?resourceVersion=${first.json.metadata.resourceVersion}&resourceVersionMatch=Exact`))
          .json.items.length,
        7,
      );
      assert.equal((await client.get(`${maps}?continue=rubbish`)).code, 400);
    });

    test('Label and field selectors filter lists.', async () => {
      await create('chosen', {}, { labels: { pick: 'me' } });
      await create('other', {}, { labels: { pick: 'not' } });
      const names = async (query: string) =>
        (await client.get(`${MAPS}?${query}`)).json.items.map(
          (item: { metadata: { name: string } }) => item.metadata.name,
        );
      assert.deepEqual(await names('labelSelector=pick%3Dme'), ['chosen']);
      assert.deepEqual(await names('labelSelector=pick%20in%20(me,not),pick!%3Dme'), ['other']);
      assert.deepEqual(await names('fieldSelector=metadata.name%3Dother'), ['other']);
      assert.equal((await client.get(`${MAPS}?fieldSelector=spec.x%3D1`)).code, 400);
    });

    test('A read waits for its version, and a version far in the future fails with 504 and Retry-After.', async () => {
      const made = await create('fresh');
      const { resourceVersion } = made.metadata;
      assert.deepEqual((await client.get(`${MAPS}/fresh?resourceVersion=${resourceVersion}`)).json, made);
      const future = await client.get(
        `${MAPS}?resourceVersion=${Number(resourceVersion) + 1_000_000}&resourceVersionMatch=NotOlderThan`,
      );
      assert.equal(future.code, 504);
      assert.equal(future.headers['retry-after'], '1');
      assert.equal(future.json.details.causes[0].reason, 'ResourceVersionTooLarge');
    });

    test('A watch sends every change after its version, in order.', async () => {
      const from = (await client.get(MAPS)).json.metadata.resourceVersion;
      const made = await create('watched', { n: '0' });
      const watch = await client.watch(`${MAPS}?watch=1&resourceVersion=${from}&fieldSelector=metadata.name%3Dwatched`);
      const put = await client.request('PUT', `${MAPS}/watched`, { body: { ...made, data: { n: '1' } } });
      await client.request('DELETE', `${MAPS}/watched`);
      const events = [await watch.next(), await watch.next(), await watch.next()];
      watch.close();
      assert.deepEqual(
        events.map((event) => event.type),
        ['ADDED', 'MODIFIED', 'DELETED'],
      );
      assert.deepEqual(events[0]?.object, made);
      assert.deepEqual(events[1]?.object, put.json);
      const last = events[2] as WatchEvent;
      assert.equal(last.object.data.n, '1');
      assert.ok(BigInt(last.object.metadata.resourceVersion) > BigInt(put.json.metadata.resourceVersion));
    });

    test('A watch with a selector sends DELETED when an object stops matching, and ADDED when it matches again.', async () => {
      const from = (await client.get(MAPS)).json.metadata.resourceVersion;
      const watch = await client.watch(`${MAPS}?watch&resourceVersion=${from}&labelSelector=in%3Dyes`);
      const label = (value: string) =>
        client.request('PATCH', `${MAPS}/moving`, {
          body: { metadata: { labels: { in: value } } },
          headers: { 'Content-Type': 'application/merge-patch+json' },
        });
      await create('moving', {}, { labels: { in: 'yes' } });
      const out = await label('no');
      await label('yes');
      const events = [await watch.next(), await watch.next(), await watch.next()];
      watch.close();
      assert.deepEqual(
        events.map((event) => event.type),
        ['ADDED', 'DELETED', 'ADDED'],
      );
      assert.equal(events[1]?.object.metadata.labels.in, 'yes');
      assert.equal(events[1]?.object.metadata.resourceVersion, out.json.metadata.resourceVersion);
    });

    test('A streaming list sends the marked bookmark after its initial events.', async () => {
      await create('initial', {}, { labels: { initial: 'yes' } });
      const query = 'watch=1&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan';
      const watch = await client.watch(`${MAPS}?${query}&labelSelector=initial`);
      const added = await watch.next();
      const bookmark = await watch.next();
      watch.close();
      assert.equal(added.type, 'ADDED');
      assert.equal(bookmark.type, 'BOOKMARK');
      assert.equal(bookmark.object.metadata.annotations['k8s.io/initial-events-end'], 'true');
      assert.equal(bookmark.object.kind, 'ConfigMap');
    });

    test('A watch ends after timeoutSeconds.', async () => {
      const watch = await client.watch(
        `${MAPS}?watch=1&timeoutSeconds=1&resourceVersion=${(await client.get(MAPS)).json.metadata.resourceVersion}`,
      );
      assert.deepEqual(await watch.rest(), []);
    });

    test('A namespace is deleted with its contents, and accepts no new objects meanwhile.', async () => {
      await client.request('POST', '/api/v1/namespaces', { body: { metadata: { name: 'doomed' } } });
      const maps = '/api/v1/namespaces/doomed/configmaps';
      await client.request('POST', maps, { body: configMap('hold', {}, { finalizers: ['example.com/hold'] }) });
      await client.request('POST', maps, { body: configMap('free') });
      const deleted = await client.request('DELETE', '/api/v1/namespaces/doomed');
      assert.equal(deleted.json.status.phase, 'Terminating');
      const late = await client.request('POST', maps, { body: configMap('late') });
      assert.equal(late.code, 403);
      assert.equal(late.json.details.causes[0].reason, 'NamespaceTerminating');
      await until('the contents to be deleted', async () => (await client.get(`${maps}/free`)).code === 404);
      assert.equal((await client.get('/api/v1/namespaces/doomed')).code, 200);
      await client.request('PATCH', `${maps}/hold`, {
        body: { metadata: { finalizers: null } },
        headers: { 'Content-Type': 'application/merge-patch+json' },
      });
      await until('the namespace to be gone', async () => (await client.get('/api/v1/namespaces/doomed')).code === 404);
      const nowhere = await client.request('POST', maps, { body: configMap('late') });
      assert.equal(nowhere.json.message, 'namespaces "doomed" not found');
    });

    test('A dry run returns the normal answer and stores nothing.', async () => {
      const dry = await client.request('POST', `${MAPS}?dryRun=All`, { body: configMap('dry') });
      assert.equal(dry.code, 201);
      assert.equal((await client.get(`${MAPS}/dry`)).code, 404);
      assert.equal((await client.request('POST', `${MAPS}?dryRun=Some`, { body: configMap('dry') })).code, 422);
    });

    test('A collection can be deleted by selector.', async () => {
      for (const name of ['c1', 'c2', 'c3'])
        await create(name, {}, { labels: { batch: name === 'c3' ? 'no' : 'yes' } });
      const gone = await client.request('DELETE', `${MAPS}?labelSelector=batch%3Dyes`);
      assert.equal(gone.json.kind, 'ConfigMapList');
      assert.deepEqual([(await client.get(`${MAPS}/c1`)).code, (await client.get(`${MAPS}/c3`)).code], [404, 200]);
    });
  });
}
