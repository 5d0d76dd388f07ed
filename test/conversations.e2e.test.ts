import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { converse, namespaceOf, readConversations, startWebhooks, type TestWebhooks } from '@tidegate/testkit';
import type { Client } from './support/client.ts';
import { type RunningSystem, runningSystem } from './support/running-system.ts';

const directory = join(import.meta.dirname, 'conversations');

describe('What kube-apiserver answers is answered here', () => {
  let system: RunningSystem;
  let client: Client;
  let webhooks: TestWebhooks;
  before(async () => {
    system = await runningSystem({ env: { TIDEGATE_DISABLE_ADMISSION_PLUGINS: '' } });
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
          const made = await client.ask('POST', '/api/v1/namespaces', { body: { metadata: { name: namespace } } });
          assert.equal(made.code, 201, made.text);
          const account = { body: { metadata: { name: 'default' } } };
          await client.ask('POST', `/api/v1/namespaces/${namespace}/serviceaccounts`, account);
          const ask = client.ask.bind(client);
          for await (const [step, said] of converse(ask, conversation, { namespace, webhooks })) {
            const { because, ...here } = { because: '', ...(step.here ?? step.said) };
            assert.deepEqual(said, here, step.ask);
          }
        });
      }
    });
  }
});
