import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type TestTidegate, until, whyNoNats } from '@tidegate/testkit';
import { type Client, configMap, MAPS, type WatchEvent } from './client.ts';
import { runningSystem } from './running-system.ts';

const noNats = (await whyNoNats()) ?? false;

/** What the API promises, whichever way changes travel: run against the system with NATS and without. */
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
      const reply = await client.ask('POST', MAPS, { body: configMap(name, data, metadata) });
      assert.equal(reply.code, 201, reply.text);
      return reply.json;
    };

    test('an object is created, read, replaced and deleted, and each change has a new version', async () => {
      const made = await create('life', { a: '1' });
      assert.match(made.metadata.uid, /^[0-9a-f-]{36}$/);
      assert.match(made.metadata.creationTimestamp, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
      assert.deepEqual((await client.get(`${MAPS}/life`)).json, made);

      const put = await client.ask('PUT', `${MAPS}/life`, { body: { ...made, data: { a: '2' } } });
      assert.equal(put.code, 200);
      assert.equal(put.json.data.a, '2');
      assert.ok(BigInt(put.json.metadata.resourceVersion) > BigInt(made.metadata.resourceVersion));

      const gone = await client.ask('DELETE', `${MAPS}/life`);
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

    test('a stale replace is a conflict, and changes nothing', async () => {
      const made = await create('stale');
      const second = await client.ask('PUT', `${MAPS}/stale`, { body: { ...made, data: { by: 'second' } } });
      const first = await client.ask('PUT', `${MAPS}/stale`, { body: { ...made, data: { by: 'first' } } });
      assert.equal(first.code, 409);
      assert.equal(first.json.reason, 'Conflict');
      assert.deepEqual((await client.get(`${MAPS}/stale`)).json, second.json);
    });

    test('a replace that changes nothing keeps the version', async () => {
      const made = await create('same', { a: '1' });
      const put = await client.ask('PUT', `${MAPS}/same`, { body: made });
      assert.equal(put.json.metadata.resourceVersion, made.metadata.resourceVersion);
    });

    test('a name is taken once', async () => {
      await create('twice');
      const again = await client.ask('POST', MAPS, { body: configMap('twice') });
      assert.equal(again.code, 409);
      assert.equal(again.json.reason, 'AlreadyExists');
    });

    test('a generated name has five random characters', async () => {
      const reply = await client.ask('POST', MAPS, { body: { ...configMap(''), metadata: { generateName: 'gen-' } } });
      assert.match(reply.json.metadata.name, /^gen-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
    });

    test('the three patches change what they say', async () => {
      await create('patched', { a: '1', b: '2' }, { labels: { x: 'y' } });
      const patch = (type: string, body: unknown) =>
        client.ask('PATCH', `${MAPS}/patched`, { body, headers: { 'Content-Type': type } });
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

    test('concurrent patches without a version are all kept', async () => {
      await create('busy');
      const keys = Array.from({ length: 12 }, (_, i) => `k${i}`);
      const replies = await Promise.all(
        keys.map((key) =>
          client.ask('PATCH', `${MAPS}/busy`, {
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

    test('a finalizer holds a deleted object until it is removed', async () => {
      await create('held', {}, { finalizers: ['example.com/hold'] });
      const deleted = await client.ask('DELETE', `${MAPS}/held`);
      assert.ok(deleted.json.metadata.deletionTimestamp);
      const more = {
        ...deleted.json,
        metadata: { ...deleted.json.metadata, finalizers: ['example.com/hold', 'example.com/more'] },
      };
      const refused = await client.ask('PUT', `${MAPS}/held`, { body: more });
      assert.equal(refused.code, 422);
      assert.match(refused.json.message, /no new finalizers can be added/);
      const free = { ...deleted.json, metadata: { ...deleted.json.metadata, finalizers: [] } };
      assert.equal((await client.ask('PUT', `${MAPS}/held`, { body: free })).code, 200);
      assert.equal((await client.get(`${MAPS}/held`)).code, 404);
    });

    test('a list is as fresh as the last write, and its pages are one snapshot', async () => {
      const space = '/api/v1/namespaces';
      await client.ask('POST', space, { body: { metadata: { name: 'paged' } } });
      const maps = `${space}/paged/configmaps`;
      for (let i = 0; i < 7; i++) await client.ask('POST', maps, { body: configMap(`m${i}`) });
      const whole = await client.get(maps);
      assert.deepEqual(
        whole.json.items.map((item: { metadata: { name: string } }) => item.metadata.name),
        ['m0', 'm1', 'm2', 'm3', 'm4', 'm5', 'm6'],
      );
      assert.equal(whole.json.metadata.continue, undefined);

      const first = await client.get(`${maps}?limit=3`);
      assert.equal(first.json.metadata.remainingItemCount, 4);
      await client.ask('DELETE', `${maps}/m4`);
      await client.ask('POST', maps, { body: configMap('m5x') });
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

    test('label and field selectors choose', async () => {
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

    test('a read waits for its version, and one of the far future is refused with what to do', async () => {
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

    test('a watch brings every change in order, from the version it names', async () => {
      const from = (await client.get(MAPS)).json.metadata.resourceVersion;
      const made = await create('watched', { n: '0' });
      const watch = await client.watch(`${MAPS}?watch=1&resourceVersion=${from}&fieldSelector=metadata.name%3Dwatched`);
      const put = await client.ask('PUT', `${MAPS}/watched`, { body: { ...made, data: { n: '1' } } });
      await client.ask('DELETE', `${MAPS}/watched`);
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

    test('an object that leaves a selection is DELETED to its watchers, and ADDED when it comes back', async () => {
      const from = (await client.get(MAPS)).json.metadata.resourceVersion;
      const watch = await client.watch(`${MAPS}?watch&resourceVersion=${from}&labelSelector=in%3Dyes`);
      const label = (value: string) =>
        client.ask('PATCH', `${MAPS}/moving`, {
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

    test('a streaming list ends its initial events with the marked bookmark', async () => {
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

    test('a watch ends when its time is over', async () => {
      const watch = await client.watch(
        `${MAPS}?watch=1&timeoutSeconds=1&resourceVersion=${(await client.get(MAPS)).json.metadata.resourceVersion}`,
      );
      assert.deepEqual(await watch.rest(), []);
    });

    test('a namespace is deleted with everything in it, and takes nothing new meanwhile', async () => {
      await client.ask('POST', '/api/v1/namespaces', { body: { metadata: { name: 'doomed' } } });
      const maps = '/api/v1/namespaces/doomed/configmaps';
      await client.ask('POST', maps, { body: configMap('hold', {}, { finalizers: ['example.com/hold'] }) });
      await client.ask('POST', maps, { body: configMap('free') });
      const deleted = await client.ask('DELETE', '/api/v1/namespaces/doomed');
      assert.equal(deleted.json.status.phase, 'Terminating');
      const late = await client.ask('POST', maps, { body: configMap('late') });
      assert.equal(late.code, 403);
      assert.equal(late.json.details.causes[0].reason, 'NamespaceTerminating');
      await until('the contents to be deleted', async () => (await client.get(`${maps}/free`)).code === 404);
      assert.equal((await client.get('/api/v1/namespaces/doomed')).code, 200);
      await client.ask('PATCH', `${maps}/hold`, {
        body: { metadata: { finalizers: null } },
        headers: { 'Content-Type': 'application/merge-patch+json' },
      });
      await until('the namespace to be gone', async () => (await client.get('/api/v1/namespaces/doomed')).code === 404);
      const nowhere = await client.ask('POST', maps, { body: configMap('late') });
      assert.equal(nowhere.json.message, 'namespaces "doomed" not found');
    });

    test('a dry run answers as the real one would, and leaves nothing', async () => {
      const dry = await client.ask('POST', `${MAPS}?dryRun=All`, { body: configMap('dry') });
      assert.equal(dry.code, 201);
      assert.equal((await client.get(`${MAPS}/dry`)).code, 404);
      assert.equal((await client.ask('POST', `${MAPS}?dryRun=Some`, { body: configMap('dry') })).code, 422);
    });

    test('a collection is deleted by selector', async () => {
      for (const name of ['c1', 'c2', 'c3'])
        await create(name, {}, { labels: { batch: name === 'c3' ? 'no' : 'yes' } });
      const gone = await client.ask('DELETE', `${MAPS}?labelSelector=batch%3Dyes`);
      assert.equal(gone.json.kind, 'ConfigMapList');
      assert.deepEqual([(await client.get(`${MAPS}/c1`)).code, (await client.get(`${MAPS}/c3`)).code], [404, 200]);
    });
  });
}
