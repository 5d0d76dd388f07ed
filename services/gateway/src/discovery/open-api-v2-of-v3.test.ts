import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@tidegate/schema';
import { Document } from './document.ts';
import { withRemotes } from './open-api-v2-of-v3.ts';

function remote(body: JsonObject | Buffer) {
  const document = new Document('application/json', body);
  return { group: 'fruit.example.com', version: 'v1', entry: {}, openApi: { document, protobuf: undefined } };
}

const APPLE = '#/components/schemas/com.example.Apple';
const spoken = {
  openapi: '3.0.0',
  paths: {
    '/apis/fruit.example.com/v1/apples': {
      parameters: [{ name: 'pretty', in: 'query', schema: { type: 'string', uniqueItems: true } }],
      post: {
        operationId: 'createApple',
        requestBody: { content: { 'application/json': { schema: { $ref: APPLE } } } },
        responses: { 201: { description: 'Created', content: { 'application/json': { schema: { $ref: APPLE } } } } },
      },
    },
    '/apis/apps/v1/deployments': { get: { operationId: 'notTheirs', responses: {} } },
  },
  components: {
    schemas: {
      'com.example.Apple': {
        type: 'object',
        properties: {
          core: { description: 'inside', default: {}, allOf: [{ $ref: '#/components/schemas/com.example.Core' }] },
          price: { oneOf: [{ type: 'integer' }, { type: 'string' }], 'x-kubernetes-int-or-string': true },
          seeds: { type: 'array', items: { $ref: '#/components/schemas/com.example.Core' } },
        },
      },
      'com.example.Core': { type: 'object', nullable: true },
      shared: { type: 'string', description: 'theirs' },
    },
  },
};

test('the v3 document of a remote server is converted to v2, limited to its own paths', () => {
  const own = { swagger: '2.0', paths: { '/api/v1/pods': {} }, definitions: { shared: { type: 'string' } } };
  const { paths, definitions } = withRemotes(own, [remote(spoken)]) as Record<string, JsonObject>;
  assert.deepEqual(Object.keys(paths ?? {}), ['/api/v1/pods', '/apis/fruit.example.com/v1/apples']);
  const ref = { $ref: '#/definitions/com.example.Apple' };
  assert.deepEqual(paths?.['/apis/fruit.example.com/v1/apples'], {
    post: {
      operationId: 'createApple',
      consumes: ['application/json'],
      produces: ['application/json'],
      parameters: [{ name: 'body', in: 'body', required: true, schema: ref }],
      responses: { 201: { description: 'Created', schema: ref } },
    },
    parameters: [{ name: 'pretty', in: 'query', type: 'string', uniqueItems: true }],
  });
  assert.deepEqual(definitions, {
    shared: { type: 'string' },
    'com.example.Apple': {
      type: 'object',
      properties: {
        core: { $ref: '#/definitions/com.example.Core', description: 'inside', default: {} },
        price: { 'x-kubernetes-int-or-string': true },
        seeds: { type: 'array', items: { $ref: '#/definitions/com.example.Core' } },
      },
    },
    'com.example.Core': { type: 'object' },
  });
});

test('an invalid document is omitted', () => {
  const own = { swagger: '2.0', paths: {}, definitions: {} };
  for (const body of [
    Buffer.from('no JSON'),
    Buffer.from('[1]'),
    { paths: [], components: 'x' },
    { paths: { '/a': 1 } },
  ]) {
    assert.deepEqual(withRemotes(own, [remote(body as JsonObject)]), own);
  }
});
