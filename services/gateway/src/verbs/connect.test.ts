import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requestInfo } from '@tidegate/request-info';
import { Authorizer } from '../authz/authorizer.ts';
import { readModes } from '../authz/modes.ts';
import { Policy } from '../authz/policy.ts';
import type { ResourceRequest } from '../request/resource-request.ts';
import { attachVerbs, execVerbs, portForwardVerbs, type StreamPorts } from './connect.ts';

const roles = { policy: new Policy(), isFresh: true, latest: async () => {}, through: async () => {} };
const authorizer = new Authorizer(readModes(['RBAC']), roles);
const user = { name: 'reader', uid: '', groups: [] };

for (const [subresource, verbs] of Object.entries({
  exec: execVerbs,
  attach: attachVerbs,
  portforward: portForwardVerbs,
})) {
  test(`a GET of ${subresource} requires the create permission, before the pod is read`, async () => {
    const { get } = verbs({ authorizer, gates: { enabled: () => true } } as unknown as StreamPorts);
    const info = requestInfo('GET', `/api/v1/namespaces/a/pods/p/${subresource}`);
    await assert.rejects(async () => get?.({ info, user } as unknown as ResourceRequest, {} as never), {
      code: 403,
      message: `pods "p" is forbidden: User "reader" cannot create resource "pods/${subresource}" in API group "" in the namespace "a"`,
    });
  });
}
