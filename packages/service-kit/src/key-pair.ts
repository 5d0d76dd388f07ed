import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';

export interface KeyPair {
  readonly cert: Buffer;
  readonly key: Buffer;
}

/** Reads a certificate chain and its key. If they are invalid or do not match, the error names the file. */
export function readKeyPair(certFile: string, keyFile: string): KeyPair {
  const [cert, key] = [readFileSync(certFile), readFileSync(keyFile)];
  const fits = certificateIn(certFile, cert).checkPrivateKey(keyIn(keyFile, key));
  if (!fits) throw new Error(`${keyFile} is not the key of the certificate ${certFile}`);
  return { cert, key };
}

function certificateIn(file: string, pem: Buffer): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch (error) {
    throw new Error(`${file} is not a certificate in PEM`, { cause: error });
  }
}

function keyIn(file: string, pem: Buffer) {
  try {
    return createPrivateKey(pem);
  } catch (error) {
    throw new Error(`${file} is not a private key in PEM`, { cause: error });
  }
}
