import { globSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type AskServer,
  converse,
  namespaceOf,
  readConversations,
  startWebhooks,
  writeConversations,
} from '@tidegate/testkit';
import { askPeer } from '../ask-peer.ts';

/**
 * Holds every conversation of test/conversations with a kube-apiserver and writes down what it says. Needs an empty one:
 * namespaces are not deleted again. A third argument chooses the files whose names contain it.
 */
const [server, token, chosen = ''] = process.argv.slice(2);
if (server === undefined || token === undefined) {
  console.error('usage: npm run record:conversations -- SERVER TOKEN [PART-OF-NAME]');
  process.exit(2);
}

const ask: AskServer = async (method, path, { body, headers }) => {
  const answer = await askPeer({ server, token }, method, path, { body: String(body ?? ''), headers });
  return { ...answer, json: parsed(answer.text) };
};

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Those who are told of a configuration hear it by a watch. */
const SETTLE_MS = 1500;

const webhooks = await startWebhooks();
const directory = join(dirname(dirname(dirname(fileURLToPath(import.meta.url)))), 'test/conversations');
for (const name of globSync('*.json', { cwd: directory }).sort()) {
  if (!name.includes(chosen)) continue;
  const conversations = readConversations(join(directory, name));
  for (const conversation of conversations) {
    const base = `${namespaceOf(conversation)}-${Date.now().toString(36).slice(-5)}`;
    const headers = { 'Content-Type': 'application/json' };
    await ask('POST', '/api/v1/namespaces', { body: JSON.stringify({ metadata: { name: base } }), headers });
    const account = JSON.stringify({ metadata: { name: 'default' } });
    await ask('POST', `/api/v1/namespaces/${base}/serviceaccounts`, { body: account, headers });
    for await (const [step, said] of converse(ask, conversation, { namespace: base, webhooks, settleMs: SETTLE_MS }))
      step.said = said;
  }
  writeConversations(join(directory, name), conversations);
}
await webhooks.stop();
