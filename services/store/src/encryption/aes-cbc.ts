import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';
import { type Provider, prefixOf } from './provider.ts';

const IV = 16;
const MAC = 32;

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
      const iv = randomBytes(IV);
      const cipher = createCipheriv(algorithm, key, iv);
      const body = Buffer.concat([start, iv, cipher.update(plain), cipher.final()]);
      return Buffer.concat([body, macOf(body)]);
    },
    open(sealed) {
      const macAt = sealed.length - MAC;
      if (macAt < start.length + IV) throw new Error('it is too short');
      const body = sealed.subarray(0, macAt);
      if (!timingSafeEqual(macOf(body), sealed.subarray(macAt))) throw new Error('its authentication code is wrong');
      const decipher = createDecipheriv(algorithm, key, body.subarray(start.length, start.length + IV));
      return Buffer.concat([decipher.update(body.subarray(start.length + IV)), decipher.final()]);
    },
  };
}
