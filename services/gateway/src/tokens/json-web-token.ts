import { constants, type KeyObject, verify } from 'node:crypto';
import { isJsonObject, type JsonObject, parseOwnJson } from '@tidegate/schema';

/** A parsed token; its claims must not be trusted before the signature is verified. */
export interface UncheckedToken {
  readonly algorithm: string;
  /** empty: the token names no key */
  readonly keyId: string;
  readonly claims: JsonObject;
  readonly signed: Buffer;
  readonly signature: Buffer;
}

interface Algorithm {
  readonly keyTypes: readonly string[];
  /** the curve of the key; undefined for keys without one */
  readonly curve?: string;
  readonly hash: string;
  readonly padding?: number;
}

const rsa = { keyTypes: ['rsa'], padding: constants.RSA_PKCS1_PADDING };
const pss = { keyTypes: ['rsa', 'rsa-pss'], padding: constants.RSA_PKCS1_PSS_PADDING };
const ec = { keyTypes: ['ec'] };

/** The supported signature algorithms. `none` and shared secrets (HMAC) are not among them. */
export const ALGORITHMS: Readonly<Record<string, Algorithm>> = {
  RS256: { ...rsa, hash: 'sha256' },
  RS384: { ...rsa, hash: 'sha384' },
  RS512: { ...rsa, hash: 'sha512' },
  PS256: { ...pss, hash: 'sha256' },
  PS384: { ...pss, hash: 'sha384' },
  PS512: { ...pss, hash: 'sha512' },
  ES256: { ...ec, curve: 'prime256v1', hash: 'sha256' },
  ES384: { ...ec, curve: 'secp384r1', hash: 'sha384' },
  ES512: { ...ec, curve: 'secp521r1', hash: 'sha512' },
};

/** Shorter RSA keys are not secure. */
const LEAST_RSA_BITS = 2048;
const COMPACT = /^([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)$/;

/**
 * Parses a signed token in its compact form; undefined: it is no token that can be verified. Tokens with critical
 * extensions (`crit`), and encrypted, compressed or nested ones, are not supported. Keys and key URLs inside the token
 * are ignored.
 */
export function readToken(text: string): UncheckedToken | undefined {
  const [, head, body, signature] = COMPACT.exec(text) ?? [];
  if (head === undefined || body === undefined || signature === undefined) return undefined;
  const header = decoded(head);
  if (header === undefined || typeof header.alg !== 'string') return undefined;
  if (['crit', 'zip', 'enc', 'cty'].some((name) => header[name] !== undefined)) return undefined;
  if (header.kid !== undefined && typeof header.kid !== 'string') return undefined;
  const claims = decoded(body);
  if (claims === undefined) return undefined;
  return {
    algorithm: header.alg,
    keyId: header.kid ?? '',
    claims,
    signed: Buffer.from(`${head}.${body}`),
    signature: Buffer.from(signature, 'base64url'),
  };
}

/** Whether a key can be used with an algorithm: the key's type decides, and not the token's header alone. */
export function fits(key: KeyObject, algorithm: string): boolean {
  const known = Object.hasOwn(ALGORITHMS, algorithm) ? ALGORITHMS[algorithm] : undefined;
  if (known === undefined || key.type !== 'public' || !known.keyTypes.includes(key.asymmetricKeyType ?? ''))
    return false;
  const { namedCurve, modulusLength = LEAST_RSA_BITS } = key.asymmetricKeyDetails ?? {};
  return namedCurve === known.curve && modulusLength >= LEAST_RSA_BITS;
}

export function isSigned({ algorithm, signed, signature }: UncheckedToken, key: KeyObject): boolean {
  if (!fits(key, algorithm)) return false;
  const { hash, padding } = ALGORITHMS[algorithm] as Algorithm;
  const isPss = padding === constants.RSA_PKCS1_PSS_PADDING;
  return verify(
    hash,
    signed,
    {
      key,
      dsaEncoding: 'ieee-p1363',
      ...(padding === undefined ? {} : { padding }),
      ...(isPss ? { saltLength: constants.RSA_PSS_SALTLEN_DIGEST } : {}),
    },
    signature,
  );
}

function decoded(text: string): JsonObject | undefined {
  try {
    const value = parseOwnJson(Buffer.from(text, 'base64url'));
    return isJsonObject(value) ? value : undefined;
  } catch {
    // a SyntaxError, or an error of the parser of long numbers: not JSON, and so no token
    return undefined;
  }
}
