import { randomBytes } from 'node:crypto';
import { xsalsa20poly1305 } from '@noble/ciphers/salsa.js';
import { type Provider, prefixOf } from './provider.ts';

const NONCE = 24;

/** prefix, nonce, box: XSalsa20 with Poly1305, whose nonces are long enough to be random without a limit. */
export function secretbox(keyName: string, secret: Buffer): Provider {
  const prefix = prefixOf('secretbox', keyName);
  const start = Buffer.from(prefix);
  return {
    prefix,
    seal(plain) {
      const nonce = randomBytes(NONCE);
      return Buffer.concat([start, nonce, xsalsa20poly1305(secret, nonce).encrypt(plain)]);
    },
    open(sealed) {
      const nonce = sealed.subarray(start.length, start.length + NONCE);
      return Buffer.from(xsalsa20poly1305(secret, nonce).decrypt(sealed.subarray(start.length + NONCE)));
    },
  };
}
