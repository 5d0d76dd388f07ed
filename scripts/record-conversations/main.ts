import { globSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  converse,
  namespaceOf,
  readConversations,
  type SendRequest,
  startWebhooks,
  writeConversations,
} from '@tidegate/testkit';
import { requestPeer } from '../request-peer.ts';

/**
 * Runs every conversation of test/conversations against a kube-apiserver and records its responses. The server should
 * be empty, and the created namespaces are not deleted. A third argument selects the files whose names contain it.
 */
const [server, token, chosen = ''] = process.argv.slice(2);
if (server === undefined || token === undefined) {
  console.error('usage: npm run record:conversations -- SERVER TOKEN [PART-OF-NAME]');
  process.exit(2);
}

const send: SendRequest = async (method, path, { body, headers }) => {
  const answer = await requestPeer({ server, token }, method, path, { body: String(body ?? ''), headers });
  return { ...answer, json: parsed(answer.text) };
};

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** kube-apiserver gets changed configurations by a watch, so they take effect a moment later. */
const SETTLE_MS = 1500;

const webhooks = await startWebhooks();
const directory = join(dirname(dirname(dirname(fileURLToPath(import.meta.url)))), 'test/conversations');
for (const name of globSync('**/*.json', { cwd: directory }).sort()) {
  if (!name.includes(chosen)) continue;
  const conversations = readConversations(join(directory, name));
  for (const conversation of conversations) {
    const base = `${namespaceOf(conversation)}-${Date.now().toString(36).slice(-5)}`;
    const headers = { 'Content-Type': 'application/json' };
    await send('POST', '/api/v1/namespaces', { body: JSON.stringify({ metadata: { name: base } }), headers });
    const account = JSON.stringify({ metadata: { name: 'default' } });
    await send('POST', `/api/v1/namespaces/${base}/serviceaccounts`, { body: account, headers });
    for await (const [step, response] of converse(send, conversation, {
      namespace: base,
      webhooks,
      settleMs: SETTLE_MS,
    }))
      step.said = response;
  }
  writeConversations(join(directory, name), conversations);
}
await webhooks.stop();
