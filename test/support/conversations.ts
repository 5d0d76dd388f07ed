import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { converse, namespaceOf, readConversations, startWebhooks, type TestWebhooks } from '@tidegate/testkit';
import type { Client } from './client.ts';
import { type RunningSystem, runningSystem } from './running-system.ts';

/** Tests that a system with these settings gives the recorded answers to every conversation in a directory. */
export function conversationsIn(directory: string, env: Record<string, string>): void {
  describe('The answers are those of kube-apiserver', () => {
    let system: RunningSystem;
    let client: Client;
    let webhooks: TestWebhooks;
    before(async () => {
      system = await runningSystem({ env });
      client = system.client;
      webhooks = await startWebhooks();
    });
    after(async () => {
      await webhooks?.stop();
      await system?.stop();
    });

    for (const name of globSync('*.json', { cwd: directory }).sort()) {
      describe(name.replace('.json', ''), () => {
        for (const conversation of readConversations(join(directory, name))) {
          test(conversation.title, async () => {
            const namespace = namespaceOf(conversation);
            const created = await client.request('POST', '/api/v1/namespaces', {
              body: { metadata: { name: namespace } },
            });
            assert.equal(created.code, 201, created.text);
            const account = { body: { metadata: { name: 'default' } } };
            await client.request('POST', `/api/v1/namespaces/${namespace}/serviceaccounts`, account);
            const request = client.request.bind(client);
            for await (const [step, said] of converse(request, conversation, { namespace, webhooks })) {
              const { because, ...here } = { because: '', ...(step.here ?? step.said) };
              assert.deepEqual(said, here, step.ask);
            }
          });
        }
      });
    }
  });
}
