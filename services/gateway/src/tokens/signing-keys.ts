import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { OptionError } from '@tidegate/options';
import type { JsonObject } from '@tidegate/schema';
import { ALGORITHMS, fits, isSigned, readToken } from './json-web-token.ts';

const BY_CURVE: Readonly<Record<string, string>> = { prime256v1: 'ES256', secp384r1: 'ES384', secp521r1: 'ES512' };

interface VerificationKey {
  readonly id: string;
  readonly algorithm: string;
  readonly key: KeyObject;
}

/**
 * The keys of service account tokens: one key signs, and several verify, so that keys can be rotated while tokens of
 * the old key are still in use. A key's id is the hash of its public key.
 */
export class SigningKeys {
  readonly #private: KeyObject;
  readonly #signing: VerificationKey;
  readonly #all: readonly VerificationKey[];

  constructor(signingFile: string, files: readonly string[]) {
    this.#private = read(signingFile, createPrivateKey);
    this.#signing = verificationKey(signingFile, createPublicKey(this.#private));
    const others = files.map((file) => verificationKey(file, read(file, createPublicKey)));
    this.#all = [this.#signing, ...others.filter(({ id }) => id !== this.#signing.id)];
  }

  /** Signs a JSON Web Token with these claims. */
  sign(claims: object): string {
    const { id: kid, algorithm: alg } = this.#signing;
    const text = `${encoded({ alg, kid })}.${encoded(claims)}`;
    const options = { key: this.#private, dsaEncoding: 'ieee-p1363' } as const;
    return `${text}.${sign(ALGORITHMS[alg]?.hash, Buffer.from(text), options).toString('base64url')}`;
  }

  /** The claims of a token that one of the keys has signed; undefined otherwise. */
  verified(text: string): JsonObject | undefined {
    const token = readToken(text);
    if (token === undefined) return undefined;
    const { algorithm, keyId } = token;
    // the key determines the algorithm; the token's header must match it
    const keys = this.#all.filter((one) => one.algorithm === algorithm && (keyId === '' || one.id === keyId));
    return keys.some(({ key }) => isSigned(token, key)) ? token.claims : undefined;
  }

  /** The public keys, for clients that verify tokens themselves. */
  get published(): { keys: object[]; algorithms: string[] } {
    const keys = this.#all.map(({ id, algorithm, key }) => ({
      use: 'sig',
      ...key.export({ format: 'jwk' }),
      kid: id,
      alg: algorithm,
    }));
    return { keys, algorithms: [...new Set(this.#all.map(({ algorithm }) => algorithm))] };
  }
}

function verificationKey(file: string, key: KeyObject): VerificationKey {
  const id = createHash('sha256')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest('base64url');
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key;
  const algorithm = type === 'rsa' ? 'RS256' : type === 'ec' ? BY_CURVE[details?.namedCurve ?? ''] : undefined;
  if (algorithm === undefined || !fits(key, algorithm))
    throw new OptionError(
      `${file}: a key of service accounts must be RSA with 2048 bits or more, or EC on a NIST curve`,
    );
  return { id, algorithm, key };
}

function read(file: string, parse: (pem: string) => KeyObject): KeyObject {
  try {
    return parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new OptionError(`${file} is not a key of service accounts: ${(error as Error).message}`);
  }
}

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
