import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { AttackTarget } from './attack-target.ts';

const MAPS = '/api/v1/namespaces/own/configmaps';

describe('Unusual spellings of watch requests', () => {
  describe('by a user who may list but not watch', () => {
    let target: AttackTarget;
    before(async () => {
      target = await AttackTarget.open();
      await target.make(MAPS, { metadata: { name: 'here' } });
      await target.allow([{ verbs: ['get', 'list'], apiGroups: [''], resources: ['configmaps'] }]);
    });
    after(() => target?.close());

    const queries = ['watch', 'watch=', 'watch=1', 'watch=true', 'watch=True', 'watch=t', 'watch=yes', 'watch=01'];
    queries.push('Watch=1', 'WATCH=true', '%77atch=1', 'w%61tch=%31', 'watch=%74rue', 'watch=1&watch=0');
    queries.push('watch=0&watch=1', 'watch=false;watch=true', '&watch=1', 'x=1&&watch=1', 'watch%00=1', 'watch=1%00');
    queries.push('watch=+1', 'watch= 1', 'watch[]=1', 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan');
    for (const query of queries) {
      for (const path of [MAPS, `${MAPS}/here`]) {
        test(`Without permission to watch, ${path}?${query} is rejected or is a list.`, async () => {
          const { code, text } = await target.requestRawPath('GET', `${path}?${query.replaceAll(' ', '%20')}`);
          if (code >= 400) return;
          // a list or an object, not an event
          assert.ok(['ConfigMapList', 'ConfigMap'].includes(JSON.parse(text).kind), text);
        });
      }
    }

    for (const path of [`/api/v1/watch/namespaces/own/configmaps`, `/api/v1/watch/namespaces/own/configmaps/here`]) {
      test(`Without permission to watch, the deprecated path ${path} is rejected.`, async () => {
        assert.equal((await target.requestRawPath('GET', path)).code, 403);
        assert.equal((await target.requestRawPath('GET', `${path}?watch=false`)).code, 403);
      });
    }
  });

  describe('by a user who may only watch', () => {
    let target: AttackTarget;
    before(async () => {
      target = await AttackTarget.open();
      await target.make(MAPS, { metadata: { name: 'here' } });
      await target.allow([{ verbs: ['watch'], apiGroups: [''], resources: ['configmaps'] }]);
    });
    after(() => target?.close());

    for (const query of ['', 'watch=0', 'watch=false', 'watch=F', 'watch=1&watch=0', 'watch=false&watch=true']) {
      for (const path of [MAPS, `${MAPS}/here`]) {
        test(`Without permission to get and list, ${path}?${query} returns events only.`, async () => {
          const { code, text } = await target.requestRawPath('GET', `${path}?${query}`);
          if (code >= 400) return;
          for (const line of text.trim().split('\n')) assert.ok(JSON.parse(line).type !== undefined, text);
        });
      }
    }
  });
});
