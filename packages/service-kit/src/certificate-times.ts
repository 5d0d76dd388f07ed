import { X509Certificate } from 'node:crypto';
import type { MetricRegistry } from './metric-registry.ts';

/** A certificate that this process uses: the content of its file, or the previous content if the file is invalid. */
export interface CertificateInUse {
  readonly file: string;
  readonly pem: Buffer;
}

/** The metric of expiration times of certificates, for an alert. */
export class CertificateTimes {
  readonly #inUse: Array<() => readonly CertificateInUse[]> = [];

  constructor(registry: MetricRegistry) {
    registry.collected({
      name: 'tidegate_certificate_expiration_timestamp_seconds',
      help: 'Expiration time of a certificate that this process presents or trusts, in seconds since 1970.',
      type: 'gauge',
      samples: () => [...this.#ends()].map(([file, value]) => ({ labels: { file }, value })),
    });
  }

  add(inUse: () => readonly CertificateInUse[]): void {
    this.#inUse.push(inUse);
  }

  /** By file, so that a file that is used twice is reported once. */
  #ends(): Map<string, number> {
    const all = this.#inUse.flatMap((inUse) => inUse());
    return new Map(all.map(({ file, pem }) => [file, new X509Certificate(pem).validToDate.getTime() / 1000]));
  }
}
