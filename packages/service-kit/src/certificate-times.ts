import { X509Certificate } from 'node:crypto';
import type { MetricRegistry } from './metric-registry.ts';

/** A certificate as this process has it in use, which is that of its file, or the one before where that one is bad. */
export interface CertificateInUse {
  readonly file: string;
  readonly pem: Buffer;
}

/** When the certificates end that this process shows, for an alert to go by. */
export class CertificateTimes {
  readonly #inUse: Array<() => readonly CertificateInUse[]> = [];

  constructor(registry: MetricRegistry) {
    registry.collected({
      name: 'tidegate_certificate_expiration_timestamp_seconds',
      help: 'When a certificate ends that this process shows or trusts other parts by, in seconds since 1970.',
      type: 'gauge',
      samples: () => [...this.#ends()].map(([file, value]) => ({ labels: { file }, value })),
    });
  }

  add(inUse: () => readonly CertificateInUse[]): void {
    this.#inUse.push(inUse);
  }

  /** By file: one that is used twice is told once. */
  #ends(): Map<string, number> {
    const all = this.#inUse.flatMap((inUse) => inUse());
    return new Map(all.map(({ file, pem }) => [file, new X509Certificate(pem).validToDate.getTime() / 1000]));
  }
}
