import { type Peer, requestPeer } from '../request-peer.ts';
import type { CorpusAnswer, CorpusCase, Manifest } from './corpus-file.ts';

interface Answer {
  readonly code: number;
  readonly body: Manifest;
}

/** Records the responses of a kube-apiserver, and deletes all created objects except the namespace. */
export class CorpusPeer {
  readonly #peer: Peer;

  constructor(peer: Peer) {
    this.#peer = peer;
  }

  /** Creates the namespace of the manifests, with the service account that pods need. */
  async makeNamespace(name: string): Promise<void> {
    await this.#send('POST', '/api/v1/namespaces', { metadata: { name } });
    await this.#send('POST', `/api/v1/namespaces/${name}/serviceaccounts`, { metadata: { name: 'default' } });
  }

  async record(path: string, { manifest, then }: CorpusCase): Promise<CorpusAnswer> {
    const made = await this.#send('POST', path, manifest);
    if (made.code !== 201) return recorded(made);
    const own = `${path}/${String(made.body.metadata?.name)}`;
    try {
      if (then === undefined) return recorded(made);
      return recorded(await this.#send('PATCH', own, then));
    } finally {
      await this.#remove(own);
    }
  }

  async #remove(path: string): Promise<void> {
    await this.#send('DELETE', path, { kind: 'DeleteOptions', apiVersion: 'v1', gracePeriodSeconds: 0 });
    const left = await this.#send('GET', path);
    if (left.code !== 200) return;
    if (left.body.kind === 'Namespace') await this.#send('PUT', `${path}/finalize`, { ...left.body, spec: {} });
    else await this.#send('PUT', path, { ...left.body, metadata: { ...left.body.metadata, finalizers: [] } });
  }

  async #send(method: string, path: string, body?: Manifest): Promise<Answer> {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const sent = body === undefined ? {} : { body: JSON.stringify(body), headers: { 'Content-Type': type } };
    const { code, text } = await requestPeer(this.#peer, method, path, sent);
    try {
      return { code, body: JSON.parse(text) as Manifest };
    } catch {
      throw new Error(`${method} ${path} was answered with ${text}`);
    }
  }
}

function recorded({ code, body }: Answer): CorpusAnswer {
  if (code < 300) {
    const { metadata: _metadata, apiVersion: _apiVersion, kind: _kind, ...object } = body;
    return { code, object };
  }
  const { causes } = (body.details ?? {}) as unknown as Pick<CorpusAnswer, 'causes'>;
  const answer = { code, reason: String(body.reason ?? ''), message: String(body.message) };
  return causes === undefined ? answer : { ...answer, causes };
}
