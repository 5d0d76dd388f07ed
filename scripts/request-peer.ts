import type { IncomingHttpHeaders } from 'node:http';
import { request } from 'node:https';

/** A kube-apiserver whose responses are recorded, and the token of the client; empty for anonymous requests. */
export interface Peer {
  readonly server: string;
  readonly token: string;
}

export interface PeerAnswer {
  readonly code: number;
  readonly text: string;
  readonly headers: IncomingHttpHeaders;
}

/** Sends one request. The server's certificate is not verified, because the server only serves for recording. */
export function requestPeer(
  { server, token }: Peer,
  method: string,
  path: string,
  { body = '', headers = {} }: { body?: string; headers?: Record<string, string> } = {},
): Promise<PeerAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<PeerAnswer>();
  const named = token === '' ? {} : { Authorization: `Bearer ${token}` };
  const all = { ...headers, ...named, 'Content-Length': Buffer.byteLength(body) };
  const call = request(new URL(path, server), { method, headers: all, rejectUnauthorized: false }, (response) => {
    const parts: Buffer[] = [];
    response.on('data', (part: Buffer) => parts.push(part));
    response.on('error', reject);
    response.on('end', () => {
      const text = Buffer.concat(parts).toString('utf8');
      resolve({ code: response.statusCode ?? 0, text, headers: response.headers });
    });
  });
  call.on('error', reject);
  call.end(body);
  return promise;
}
