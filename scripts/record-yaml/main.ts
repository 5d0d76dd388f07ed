import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { readYamlCases, type SendRequest, writeYamlCases, yamlThings, yamlVerdicts } from '@tidegate/testkit';
import { requestPeer } from '../request-peer.ts';

/** Records the results of a kube-apiserver for every text in packages/schema/recorded/yaml.json. */
const [server, token] = process.argv.slice(2);
if (server === undefined || token === undefined) {
  console.error('usage: npm run record:yaml -- SERVER TOKEN');
  process.exit(2);
}

const send: SendRequest = async (method, path, { body, headers }) => {
  const answer = await requestPeer({ server, token }, method, path, { body: String(body ?? ''), headers });
  return { ...answer, json: undefined };
};

/** The engine has this function; the types of this language level do not. */
const { rawJSON } = JSON as unknown as { rawJSON(source: string): unknown };

/** Large integers keep their digits. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text, (_key, value: unknown, context?: { source: string }) =>
      Number.isInteger(value) && !Number.isSafeInteger(value) ? rawJSON(context?.source ?? '') : value,
    );
  } catch {
    return {};
  }
}

const headers = { 'Content-Type': 'application/json' };
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
await send('POST', definitions, { body: JSON.stringify(yamlThings), headers });
for (let served = false; !served; await delay(100)) {
  served = (await send('GET', '/apis/yaml.example.com/v1/things', { headers: {} })).code === 200;
}

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const file = join(root, 'packages/schema/recorded/yaml.json');
const cases = readYamlCases(file);
for (const one of cases) one.said = await yamlVerdicts(send, parsed, one);
writeYamlCases(file, cases);
await send('DELETE', `${definitions}/${yamlThings.metadata.name}`, { headers: {} });
