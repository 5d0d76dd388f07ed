import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { TLSSocket } from 'node:tls';
import { testAuthority } from './test-authority.ts';

// biome-ignore lint/suspicious/noExplicitAny: reviews can be of any kind
type Review = any;

/** A real HTTPS server that answers TokenReviews and SubjectAccessReviews. */
export interface TestReviewer {
  /** the reviews, each with the common name of the client's certificate */
  readonly reviews: Array<{ as: string; review: Review }>;
  /** writes a kubeconfig with the address of this server and a client certificate */
  writeKubeconfig(file: string): void;
  /** stops listening until `resume` */
  pause(): void;
  resume(): Promise<void>;
}

/** @param answer returns the status of a review */
export async function startReviewer(answer: (review: Review) => object): Promise<TestReviewer> {
  const authority = await testAuthority();
  const pair = await authority.leaf({ commonName: '127.0.0.1', names: ['127.0.0.1'] });
  const client = await authority.leaf({ commonName: 'the-gateway' });
  const reviews: TestReviewer['reviews'] = [];
  const server = createServer({ ...pair, ca: authority.ca, requestCert: true }, async (request, response) => {
    const review: Review = await json(request);
    const { subject } = (request.socket as TLSSocket).getPeerCertificate();
    reviews.push({ as: String(subject.CN), review });
    response.setHeader('Content-Type', 'application/json').end(JSON.stringify({ ...review, status: answer(review) }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const encoded = (text: string) => Buffer.from(text).toString('base64');
  const kubeconfig = {
    'current-context': 'it',
    clusters: [
      {
        name: 'it',
        cluster: { server: `https://127.0.0.1:${port}/review`, 'certificate-authority-data': encoded(authority.ca) },
      },
    ],
    users: [
      {
        name: 'us',
        user: { 'client-certificate-data': encoded(client.cert), 'client-key-data': encoded(client.key) },
      },
    ],
    contexts: [{ name: 'it', context: { cluster: 'it', user: 'us' } }],
  };
  return {
    reviews,
    writeKubeconfig: (file) => writeFileSync(file, JSON.stringify(kubeconfig)),
    pause: () => {
      server.close();
      server.closeAllConnections();
    },
    resume: async () => {
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
    },
  };
}
