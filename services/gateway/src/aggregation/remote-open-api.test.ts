import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AskRemote } from './remote-discovery.ts';
import { RemoteOpenApi } from './remote-open-api.ts';

const PLACE = 'apis/fruit.io/v1';

/** An index that names one URL, or none; whatever is asked for of a URL is its own text. */
function server(url: string | undefined, etag = ''): { ask: AskRemote; asked: string[] } {
  const asked: string[] = [];
  const ask: AskRemote = async (path, { headers }) => {
    asked.push(path);
    const paths = url === undefined ? {} : { [PLACE]: { serverRelativeURL: url } };
    const isKnown = etag !== '' && headers.includes(etag);
    const body = path === '/openapi/v3' ? JSON.stringify({ paths }) : JSON.stringify({ of: path });
    return { code: isKnown ? 304 : 200, headers: { etag }, body: Buffer.from(body) };
  };
  return { ask, asked };
}

test('a document is read only when the index has a new hash', async () => {
  const openApi = new RemoteOpenApi('fruit.io/v1');
  const first = server(`/openapi/v3/${PLACE}?hash=A`);
  await openApi.refresh(first.ask);
  assert.equal(String(openApi.document?.body), `{"of":"/openapi/v3/${PLACE}?hash=A"}`);
  const { document } = openApi;
  first.asked.length = 0;
  await openApi.refresh(first.ask);
  assert.deepEqual([first.asked, openApi.document], [['/openapi/v3'], document]);
  await openApi.refresh(server(`/openapi/v3/${PLACE}?hash=B`).ask);
  assert.notEqual(openApi.document?.hash, document?.hash);
});

test('an unchanged index is not parsed', async () => {
  const openApi = new RemoteOpenApi('fruit.io/v1');
  const { ask, asked } = server(`/openapi/v3/${PLACE}`, '"a"');
  await openApi.refresh(ask);
  asked.length = 0;
  await openApi.refresh(ask);
  assert.deepEqual(asked, ['/openapi/v3']);
});

test('there is no document where the index has none, or one of another server', async () => {
  const openApi = new RemoteOpenApi('fruit.io/v1');
  for (const url of [undefined, 'https://example.com/doc']) {
    await openApi.refresh(server(`/openapi/v3/${PLACE}?hash=A`).ask);
    await openApi.refresh(server(url).ask);
    assert.equal(openApi.document, undefined);
  }
});
