import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Profile, sharesOf } from './attribute.ts';
import type { Stage } from './stages.ts';

const GATEWAY = { hasClients: true, clientsSpeakHttp2: false };
const STORE = { hasClients: false, clientsSpeakHttp2: false };
const ROOT = 'file:///somewhere/tidegate';
const at = (path: string) => `${ROOT}/services/gateway/src/${path}`;

/** A profile of stacks from outside to inside, each sampled once. A frame is the address of a file, or a name. */
function profileOf(...stacks: ReadonlyArray<readonly string[]>): Profile {
  const nodes: Array<{ id: number; callFrame: { functionName: string; url: string }; children: number[] }> = [];
  const add = (frame: string) => {
    const url = frame.includes(':') ? frame : '';
    nodes.push({ id: nodes.length + 1, callFrame: { functionName: url === '' ? frame : 'f', url }, children: [] });
    return nodes.length;
  };
  add('(root)');
  const samples = stacks.map((stack) =>
    stack.reduce((parent, frame) => {
      const id = add(frame);
      nodes[parent - 1]?.children.push(id);
      return id;
    }, 1),
  );
  return { nodes, samples };
}

function stageOf(stack: readonly string[], sockets = GATEWAY): Stage | undefined {
  return [...sharesOf(profileOf(stack), sockets).keys()][0];
}

describe('A sample belongs to the stage of', () => {
  test('the innermost file that has one.', () => {
    const stack = [at('serving/request-server.ts'), at('authz/policy.ts'), `${ROOT}/packages/rbac/src/rules.ts`];
    assert.equal(stageOf(stack), 'rights');
  });

  test('the longest path that fits, so that single files can differ from their folder.', () => {
    assert.equal(stageOf([at('codec/answer.ts')]), 'encode');
    assert.equal(stageOf([at('codec/decode-body.ts')]), 'decode');
  });

  test('its caller, if it is a native function or in a library of Node without a stage.', () => {
    assert.equal(stageOf([at('ownership/own-fields.ts'), 'node:internal/timers', 'stringify']), 'ownership');
  });

  test('its package, wherever the package is installed.', () => {
    assert.equal(stageOf([`${ROOT}/services/store/node_modules/postgres/src/connection.js`], STORE), 'SQL');
  });

  test('the sockets to clients, if the gateway uses a socket that gRPC does not.', () => {
    assert.equal(stageOf([at('verbs/update.ts'), 'node:_http_outgoing']), 'TLS and HTTP');
    assert.equal(stageOf(['node:internal/http2/core']), 'wire (gRPC)');
    assert.equal(stageOf(['node:internal/http2/core'], { ...GATEWAY, clientsSpeakHttp2: true }), 'TLS and HTTP');
    assert.equal(stageOf([`${ROOT}/node_modules/@grpc/grpc-js/x.js`, 'node:net']), 'wire (gRPC)');
    assert.equal(stageOf(['node:net'], STORE), 'wire (gRPC)');
  });
});

test('The shares are those of the samples in which the process ran.', () => {
  const profile = profileOf(['(idle)'], ['(program)'], ['(garbage collector)'], [at('audit/x.ts')], [at('audit/y.ts')]);
  assert.deepEqual(Object.fromEntries(sharesOf(profile, GATEWAY)), {
    native: 0.25,
    'garbage collection and compilation': 0.25,
    audit: 0.5,
  });
});
