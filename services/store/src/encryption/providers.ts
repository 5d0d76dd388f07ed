import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';
import { xsalsa20poly1305 } from '@noble/ciphers/salsa.js';

const GCM_NONCE_BYTES = 12;
const TAG_BYTES = 16;
const IV_BYTES = 16;
const MAC_BYTES = 32;
const BOX_NONCE_BYTES = 24;

/**
 * One encryption key with its algorithm. Sealed bytes begin with the provider's prefix (`k8s:enc:aesgcm:v1:key1:`), which
 * selects the provider that opens them. Promise: `open` returns what was sealed, or throws; it never opens altered bytes.
 */
export interface Provider {
  readonly prefix: string;
  seal(plain: Buffer): Buffer;
  open(sealed: Buffer): Buffer;
}

/** prefix, nonce, ciphertext, tag. Nonces are random: rotate a key before it has encrypted some billions of writes. */
export function aesGcm(keyName: string, secret: Buffer): Provider {
  const key = createSecretKey(secret);
  const algorithm = `aes-${secret.length * 8}-gcm` as 'aes-256-gcm';
  const prefix = prefixOf('aesgcm', keyName);
  const start = Buffer.from(prefix);
  return {
    prefix,
    seal(plain) {
      const nonce = randomBytes(GCM_NONCE_BYTES);
      const cipher = createCipheriv(algorithm, key, nonce);
      return Buffer.concat([start, nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
    },
    open(sealed) {
      const tagAt = sealed.length - TAG_BYTES;
      const decipher = createDecipheriv(algorithm, key, sealed.subarray(start.length, start.length + GCM_NONCE_BYTES), {
        authTagLength: TAG_BYTES,
      });
      decipher.setAuthTag(sealed.subarray(tagAt));
      return Buffer.concat([decipher.update(sealed.subarray(start.length + GCM_NONCE_BYTES, tagAt)), decipher.final()]);
    },
  };
}

/**
 * prefix, initialization vector, ciphertext, authentication code. With CBC alone, an attacker who can write to the
 * database could change single bits of a value. Therefore values are authenticated, with a key derived from the secret.
 */
export function aesCbc(keyName: string, secret: Buffer): Provider {
  const key = createSecretKey(secret);
  const macKey = createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', 'tidegate aescbc authentication', 32)));
  const algorithm = `aes-${secret.length * 8}-cbc`;
  const prefix = prefixOf('aescbc', keyName);
  const start = Buffer.from(prefix);
  const macOf = (bytes: Buffer) => createHmac('sha256', macKey).update(bytes).digest();
  return {
    prefix,
    seal(plain) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv(algorithm, key, iv);
      const body = Buffer.concat([start, iv, cipher.update(plain), cipher.final()]);
      return Buffer.concat([body, macOf(body)]);
    },
    open(sealed) {
      const macAt = sealed.length - MAC_BYTES;
      if (macAt < start.length + IV_BYTES) throw new Error('it is too short');
      const body = sealed.subarray(0, macAt);
      if (!timingSafeEqual(macOf(body), sealed.subarray(macAt))) throw new Error('its authentication code is wrong');
      const decipher = createDecipheriv(algorithm, key, body.subarray(start.length, start.length + IV_BYTES));
      return Buffer.concat([decipher.update(body.subarray(start.length + IV_BYTES)), decipher.final()]);
    },
  };
}

/** prefix, nonce, box: XSalsa20 with Poly1305, whose nonces are long enough to be random without a limit. */
export function secretbox(keyName: string, secret: Buffer): Provider {
  const prefix = prefixOf('secretbox', keyName);
  const start = Buffer.from(prefix);
  return {
    prefix,
    seal(plain) {
      const nonce = randomBytes(BOX_NONCE_BYTES);
      return Buffer.concat([start, nonce, xsalsa20poly1305(secret, nonce).encrypt(plain)]);
    },
    open(sealed) {
      const nonce = sealed.subarray(start.length, start.length + BOX_NONCE_BYTES);
      return Buffer.from(xsalsa20poly1305(secret, nonce).decrypt(sealed.subarray(start.length + BOX_NONCE_BYTES)));
    },
  };
}

function prefixOf(kind: string, keyName: string): string {
  return `k8s:enc:${kind}:v1:${keyName}:`;
}
