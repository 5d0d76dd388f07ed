import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import type { TestTidegate } from '@tidegate/testkit';

interface RawRequest {
  readonly path: string;
  readonly method?: string;
  /** names and values in turn, sent unchanged and with duplicates */
  readonly headers?: readonly string[];
  readonly body?: object;
  /** the client certificate, as PEM */
  readonly cert?: string | Buffer;
  readonly key?: string | Buffer;
}

export interface RawReply {
  readonly code: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests read fields of answers of any kind
  readonly json: any;
}

/** Sends a request on a new connection, with any client certificate and any headers. */
export async function rawRequest(
  { server, caFile }: Pick<TestTidegate, 'server' | 'caFile'>,
  { path, method = 'GET', headers = [], body, cert, key }: RawRequest,
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
      const body = await text(response);
      resolve({ code: response.statusCode ?? 0, json: body.startsWith('{') ? JSON.parse(body) : body });
    },
  )
    .on('error', reject)
    .end(sent);
  return promise;
}

const SELF = '/apis/authentication.k8s.io/v1/selfsubjectreviews';

/** The user as whom the server authenticates the request, or the status code if it rejects the request. */
export async function whoAmI(
  tidegate: Pick<TestTidegate, 'server' | 'caFile'>,
  request: Omit<RawRequest, 'path' | 'method'>,
) {
  const { code, json } = await rawRequest(tidegate, { ...request, path: SELF, method: 'POST', body: {} });
  return code === 201 ? (json.status.userInfo as { username: string; uid?: string; groups: string[] }) : code;
}
