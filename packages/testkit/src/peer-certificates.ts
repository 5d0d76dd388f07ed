import { type Certificates, ensureCertificates, PARTS, type Part } from '@tidegate/local';
import { temporaryDir } from './temporary-dir.ts';

export interface TestCertificates extends Certificates {
  /** by the names of the options of every part */
  peerFiles(part: Part): { peerCertFile: string; peerKeyFile: string; peerCaFile: string };
  remove(): void;
}

/** Creates authorities and certificates as the launcher does, in a temporary directory. */
export async function peerCertificates(): Promise<TestCertificates> {
  const { path, remove } = temporaryDir('certs');
  const certificates = await ensureCertificates({ dir: path, parts: PARTS, bindAddress: '127.0.0.1' });
  return {
    ...certificates,
    peerFiles(part) {
      const { certFile, keyFile } = certificates.peer(part);
      return { peerCertFile: certFile, peerKeyFile: keyFile, peerCaFile: certificates.peerCaFile };
    },
    remove,
  };
}
