import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import type { TestTidegate } from '@tidegate/testkit';

interface RawAsk {
  readonly path: string;
  readonly method?: string;
  /** names and values in turn, sent as they are, however often one stands there */
  readonly headers?: readonly string[];
  readonly body?: object;
  /** of the certificate that is shown, as PEM */
  readonly cert?: string | Buffer;
  readonly key?: string | Buffer;
}

export interface RawReply {
  readonly code: number;
  // biome-ignore lint/suspicious/noExplicitAny: answers of any kind are looked into by tests
  readonly json: any;
}

/** A request over a connection of its own, with any certificate and any headers. */
export async function rawAsk(
  { server, caFile }: Pick<TestTidegate, 'server' | 'caFile'>,
  { path, method = 'GET', headers = [], body, cert, key }: RawAsk,
): Promise<RawReply> {
  const { promise, resolve, reject } = Promise.withResolvers<RawReply>();
  const url = new URL(server);
  const sent = body === undefined ? '' : JSON.stringify(body);
  const own = ['Host', url.host, 'Content-Length', String(sent.length), 'Content-Type', 'application/json'];
  request(
    {
      host: url.hostname,
      port: url.port,
      ca: readFileSync(caFile),
      agent: false,
      method,
      path,
      headers: [...own, ...headers],
      ...(cert === undefined ? {} : { cert, key }),
    },
    async (response) => {
      const said = await text(response);
      resolve({ code: response.statusCode ?? 0, json: said.startsWith('{') ? JSON.parse(said) : said });
    },
  )
    .on('error', reject)
    .end(sent);
  return promise;
}

const SELF = '/apis/authentication.k8s.io/v1/selfsubjectreviews';

/** Whom the server takes the sender for; the code where it lets nobody in. */
export async function whoAmI(tidegate: Pick<TestTidegate, 'server' | 'caFile'>, ask: Omit<RawAsk, 'path' | 'method'>) {
  const { code, json } = await rawAsk(tidegate, { ...ask, path: SELF, method: 'POST', body: {} });
  return code === 201 ? (json.status.userInfo as { username: string; uid?: string; groups: string[] }) : code;
}
