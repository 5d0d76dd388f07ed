import assert from 'node:assert/strict';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { serverPair } from '@tidegate/testkit';
import { Neighbour, Stage } from './stage.ts';

describe('A server that sends this one elsewhere', () => {
  let stage: Stage;
  let neighbour: Neighbour;
  let asked = 0;
  let elsewhere: Awaited<ReturnType<typeof redirecting>>;
  /** Answers everything with a redirect to the neighbour. */
  const redirecting = async (code: () => number) => {
    const { ca, cert, key } = await serverPair(['localhost', '127.0.0.1']);
    const server = createServer({ cert, key }, (_request, response) => {
      asked++;
      response.writeHead(code(), { Location: `http://127.0.0.1:${neighbour.port}/` }).end();
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
    [stage, neighbour] = await Promise.all([Stage.open(), new Neighbour().listen()]);
    elsewhere = await redirecting(() => code);
  });
  after(async () => {
    neighbour?.close();
    elsewhere?.server.close();
    await stage?.close();
  });

  for (const status of [301, 302, 303, 307, 308]) {
    test(`is not followed as a webhook, with ${status}`, async () => {
      code = status;
      const before = asked;
      const path = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations';
      const { url, ca: caBundle } = elsewhere;
      await stage.make(path, {
        metadata: { name: 'elsewhere' },
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
      const reply = await stage.client.ask('POST', '/api/v1/namespaces/own/configmaps', {
        body: { metadata: { name: 'a' } },
      });
      assert.equal(reply.code, 500, reply.text);
      assert.equal(asked, before + 1);
      assert.equal(neighbour.visits, 0);
      await stage.client.ask('DELETE', `${path}/elsewhere`);
    });
  }
});
