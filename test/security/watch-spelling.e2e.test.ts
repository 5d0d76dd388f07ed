import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Stage } from './stage.ts';

const MAPS = '/api/v1/namespaces/own/configmaps';

describe('A watch that is asked for in an odd way', () => {
  describe('by who may list and not watch', () => {
    let stage: Stage;
    before(async () => {
      stage = await Stage.open();
      await stage.make(MAPS, { metadata: { name: 'here' } });
      await stage.allow([{ verbs: ['get', 'list'], apiGroups: [''], resources: ['configmaps'] }]);
    });
    after(() => stage?.close());

    const queries = ['watch', 'watch=', 'watch=1', 'watch=true', 'watch=True', 'watch=t', 'watch=yes', 'watch=01'];
    queries.push('Watch=1', 'WATCH=true', '%77atch=1', 'w%61tch=%31', 'watch=%74rue', 'watch=1&watch=0');
    queries.push('watch=0&watch=1', 'watch=false;watch=true', '&watch=1', 'x=1&&watch=1', 'watch%00=1', 'watch=1%00');
    queries.push('watch=+1', 'watch= 1', 'watch[]=1', 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan');
    for (const query of queries) {
      for (const path of [MAPS, `${MAPS}/here`]) {
        test(`is refused, or is none: ${path}?${query}`, async () => {
          const { code, text } = await stage.rawly('GET', `${path}?${query.replaceAll(' ', '%20')}`);
          if (code >= 400) return;
          // then it is an answer that ends, and no event
          assert.ok(['ConfigMapList', 'ConfigMap'].includes(JSON.parse(text).kind), text);
        });
      }
    }

    for (const path of [`/api/v1/watch/namespaces/own/configmaps`, `/api/v1/watch/namespaces/own/configmaps/here`]) {
      test(`is refused at the old path ${path}`, async () => {
        assert.equal((await stage.rawly('GET', path)).code, 403);
        assert.equal((await stage.rawly('GET', `${path}?watch=false`)).code, 403);
      });
    }
  });

  describe('by who may watch and neither get nor list', () => {
    let stage: Stage;
    before(async () => {
      stage = await Stage.open();
      await stage.make(MAPS, { metadata: { name: 'here' } });
      await stage.allow([{ verbs: ['watch'], apiGroups: [''], resources: ['configmaps'] }]);
    });
    after(() => stage?.close());

    for (const query of ['', 'watch=0', 'watch=false', 'watch=F', 'watch=1&watch=0', 'watch=false&watch=true']) {
      for (const path of [MAPS, `${MAPS}/here`]) {
        test(`shows no list and no object: ${path}?${query}`, async () => {
          const { code, text } = await stage.rawly('GET', `${path}?${query}`);
          if (code >= 400) return;
          for (const line of text.trim().split('\n')) assert.ok(JSON.parse(line).type !== undefined, text);
        });
      }
    }
  });
});
