import { createCipheriv, createDecipheriv, createSecretKey, randomBytes } from 'node:crypto';
import { type Provider, prefixOf } from './provider.ts';

const NONCE = 12;
const TAG = 16;

/** prefix, nonce, ciphertext, tag. Nonces are random: rotate a key before it has encrypted some billions of writes. */
export function aesGcm(keyName: string, secret: Buffer): Provider {
  const key = createSecretKey(secret);
  const algorithm = `aes-${secret.length * 8}-gcm` as 'aes-256-gcm';
  const prefix = prefixOf('aesgcm', keyName);
  const start = Buffer.from(prefix);
  return {
    prefix,
    seal(plain) {
      const nonce = randomBytes(NONCE);
      const cipher = createCipheriv(algorithm, key, nonce);
      return Buffer.concat([start, nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
    },
    open(sealed) {
      const tagAt = sealed.length - TAG;
      const decipher = createDecipheriv(algorithm, key, sealed.subarray(start.length, start.length + NONCE), {
        authTagLength: TAG,
      });
      decipher.setAuthTag(sealed.subarray(tagAt));
      return Buffer.concat([decipher.update(sealed.subarray(start.length + NONCE, tagAt)), decipher.final()]);
    },
  };
}
