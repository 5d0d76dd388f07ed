import assert from 'node:assert/strict';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { serverPair } from '@tidegate/testkit';
import { AttackTarget, ForbiddenServer } from './attack-target.ts';

describe('Redirects', () => {
  let target: AttackTarget;
  let forbidden: ForbiddenServer;
  let webhookCalls = 0;
  let redirector: Awaited<ReturnType<typeof redirecting>>;
  /** A server that redirects every request to the forbidden server. */
  const redirecting = async (code: () => number) => {
    const { ca, cert, key } = await serverPair(['localhost', '127.0.0.1']);
    const server = createServer({ cert, key }, (_request, response) => {
      webhookCalls++;
      response.writeHead(code(), { Location: `http://127.0.0.1:${forbidden.port}/` }).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return {
      server,
      ca: Buffer.from(ca).toString('base64'),
      url: `https://localhost:${(server.address() as AddressInfo).port}`,
    };
  };
  let code = 302;
  before(async () => {
    [target, forbidden] = await Promise.all([AttackTarget.open(), new ForbiddenServer().listen()]);
    redirector = await redirecting(() => code);
  });
  after(async () => {
    forbidden?.close();
    redirector?.server.close();
    await target?.close();
  });

  for (const status of [301, 302, 303, 307, 308]) {
    test(`A redirect of a webhook with ${status} is not followed.`, async () => {
      code = status;
      const before = webhookCalls;
      const path = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations';
      const { url, ca: caBundle } = redirector;
      await target.make(path, {
        metadata: { name: 'redirector' },
        webhooks: [
          {
            name: 'a.b.c',
            clientConfig: { url, caBundle },
            sideEffects: 'None',
            admissionReviewVersions: ['v1'],
            timeoutSeconds: 2,
            rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
          },
        ],
      });
      const reply = await target.client.request('POST', '/api/v1/namespaces/own/configmaps', {
        body: { metadata: { name: 'a' } },
      });
      assert.equal(reply.code, 500, reply.text);
      assert.equal(webhookCalls, before + 1);
      assert.equal(forbidden.connections, 0);
      await target.client.request('DELETE', `${path}/redirector`);
    });
  }
});
