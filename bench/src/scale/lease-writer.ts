import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type Client, type ClientDuplexStream, credentials, type MethodDefinition } from '@grpc/grpc-js';
import { grpcClient } from '@tidegate/service-kit';
import type { TestCertificates } from '@tidegate/testkit';
import { outcomeKind, type SessionRequest, type SessionResponse, store, type Write, writeKind } from '@tidegate/wire';

/** as many writes as a gateway puts into a message */
const MESSAGE = 256;
const NAMESPACE = 'kube-node-lease';
/** The size of a stored lease. */
const BYTES = 500;

/** What one or more writers did. */
export interface Renewals {
  written: number;
  /** milliseconds from the moment at which a renewal was due to its outcome */
  readonly latencies: number[];
}

/** Writes leases over one session stream, with one message at a time, as a gateway does. */
export class LeaseWriter {
  readonly #client: Client;
  readonly #call: ClientDuplexStream<SessionRequest, SessionResponse>;
  #answered: ((response: SessionResponse) => void) | undefined;
  #failed: ((error: Error) => void) | undefined;
  #id = 0;

  constructor(address: string, certificates: TestCertificates) {
    const { peerCaFile, peerKeyFile, peerCertFile } = certificates.peerFiles('gateway');
    const [ca, key, cert] = [peerCaFile, peerKeyFile, peerCertFile].map((file) => readFileSync(file));
    this.#client = grpcClient(address, credentials.createSsl(ca, key, cert));
    const { path, requestSerialize, responseDeserialize } = store.session as MethodDefinition<
      SessionRequest,
      SessionResponse
    >;
    this.#call = this.#client.makeBidiStreamRequest(path, requestSerialize, responseDeserialize);
    this.#call.on('data', (response: SessionResponse) => this.#answered?.(response));
    this.#call.on('error', (error: Error) => this.#failed?.(error));
  }

  async create(leases: readonly number[]): Promise<void> {
    for (let at = 0; at < leases.length; at += MESSAGE)
      await this.#write(leases.slice(at, at + MESSAGE), writeKind.create);
  }

  /** Renews its leases in turn, so many a second; those that are due while a message is under way form the next one. */
  async renew(leases: readonly number[], perSecond: number, seconds: number): Promise<Renewals> {
    const renewals: Renewals = { written: 0, latencies: [] };
    const begun = performance.now();
    const dueAt = (renewal: number) => begun + (renewal * 1000) / perSecond;
    const total = Math.round(perSecond * seconds);
    while (renewals.written < total) {
      const due = Math.min(total, Math.floor(((performance.now() - begun) * perSecond) / 1000) + 1);
      const count = Math.min(MESSAGE, due - renewals.written);
      if (count <= 0) {
        await new Promise((resolve) => setTimeout(resolve, 1));
        continue;
      }
      const turn = Array.from({ length: count }, (_, i) => leases[(renewals.written + i) % leases.length] as number);
      await this.#write(turn, writeKind.update);
      const now = performance.now();
      for (let i = 0; i < count; i++) renewals.latencies.push(now - dueAt(renewals.written + i));
      renewals.written += count;
    }
    return renewals;
  }

  close(): void {
    this.#call.end();
    this.#client.close();
  }

  async #write(leases: readonly number[], kind: Write['kind']): Promise<void> {
    const writes = leases.map((lease) => writeOf(lease, kind));
    const { writes: outcomes, error } = await new Promise<SessionResponse>((resolve, reject) => {
      this.#answered = resolve;
      this.#failed = reject;
      this.#call.write({ id: ++this.#id, writes });
    });
    if (error.length > 0) throw new Error(`the store rejected a message: ${Buffer.from(error).toString('utf8')}`);
    const other = outcomes.find((outcome) => outcome.kind !== outcomeKind.committed);
    if (other !== undefined) throw new Error(`a lease was not written: ${JSON.stringify(other)}`);
  }
}

function writeOf(lease: number, kind: Write['kind']): Write {
  const name = `node-${lease}`;
  const uid = `00000000-0000-4000-8000-${String(lease).padStart(12, '0')}`;
  const head = `{"kind":"Lease","apiVersion":"coordination.k8s.io/v1","metadata":{"name":"${name}","namespace":"${NAMESPACE}","uid":"${uid}"`;
  const spec = `{"holderIdentity":"${name}","leaseDurationSeconds":40,"renewTime":"${new Date().toISOString().replace('Z', '000Z')}"}`;
  const rest = `},"spec":${spec},"filler":"`;
  const filler = randomBytes(BYTES)
    .toString('hex')
    .slice(0, Math.max(0, BYTES - head.length - rest.length - 2));
  return {
    kind,
    key: { resource: 'leases.coordination.k8s.io', namespace: NAMESPACE, name },
    operationId: operationId(),
    value: Buffer.from(`${head}${rest}${filler}"}`),
    splice: head.length,
    uid,
  };
}

/** 16 bytes, the time first, as the store expects them. */
function operationId(): Uint8Array {
  const id = randomBytes(16);
  id.writeUIntBE(Date.now(), 0, 6);
  return id;
}
