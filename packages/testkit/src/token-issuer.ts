import { constants, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { serverPair } from './server-pair.ts';

export interface IssuerKey {
  readonly id: string;
  readonly algorithm: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

const CURVES: Readonly<Record<string, string>> = { ES256: 'P-256', ES384: 'P-384', ES512: 'P-521' };

/** A signing key for one algorithm. */
export function issuerKey(id: string, algorithm = 'ES256', bits = 2048): IssuerKey {
  const namedCurve = CURVES[algorithm];
  const pair =
    namedCurve === undefined
      ? generateKeyPairSync('rsa', { modulusLength: bits })
      : generateKeyPairSync('ec', { namedCurve });
  return { id, algorithm, ...pair };
}

export function publishedForm({ id, algorithm, publicKey }: IssuerKey): object {
  return { ...publicKey.export({ format: 'jwk' }), kid: id, alg: algorithm, use: 'sig' };
}

/** A token with these claims; `header` adds or replaces fields of the header. */
export function signedToken(key: IssuerKey, claims: object, header: object = {}): string {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const text = `${encode({ alg: key.algorithm, kid: key.id, ...header })}.${encode(claims)}`;
  const isPss = key.algorithm.startsWith('PS');
  const signature = sign(`sha${key.algorithm.slice(2)}`, Buffer.from(text), {
    key: key.privateKey,
    dsaEncoding: 'ieee-p1363',
    ...(isPss ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST } : {}),
  });
  return `${text}.${signature.toString('base64url')}`;
}

/** A real OIDC issuer over HTTPS. */
export interface TestIssuer {
  readonly url: string;
  /** the PEM of its authority */
  readonly ca: string;
  /** replaces the published keys */
  publish(keys: readonly IssuerKey[]): void;
  /** the number of requests for each document */
  readonly requests: { discovery: number; keys: number };
  /** a token for the audience `kube`, valid for an hour; `claims` adds or replaces claims */
  token(key: IssuerKey, claims?: object, header?: object): string;
  /** stops listening until `resume` */
  pause(): Promise<void>;
  resume(): Promise<void>;
}

export async function startIssuer(keys: readonly IssuerKey[]): Promise<TestIssuer> {
  const { ca, ...pair } = await serverPair(['127.0.0.1']);
  let published = keys;
  const requests = { discovery: 0, keys: 0 };
  const server = createServer(pair, ({ url: path }, response) => {
    const isKeys = path === '/keys';
    requests[isKeys ? 'keys' : 'discovery']++;
    const body = isKeys ? { keys: published.map(publishedForm) } : { issuer: url, jwks_uri: `${url}/keys` };
    response.setHeader('Content-Type', 'application/json').end(JSON.stringify(body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const url = `https://127.0.0.1:${port}`;
  return {
    url,
    ca,
    requests,
    publish: (now) => {
      published = now;
    },
    token: (key, claims = {}, header = {}) => {
      const iat = Math.floor(Date.now() / 1000);
      return signedToken(key, { iss: url, aud: 'kube', sub: 'ann', iat, exp: iat + 3600, ...claims }, header);
    },
    pause: async () => {
      server.close();
      server.closeAllConnections();
    },
    resume: async () => {
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
    },
  };
}
