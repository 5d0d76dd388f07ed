import { temporaryDirectory } from '@tidegate/local';
import { type PartSpec, planParts, portsNeeded } from './parts.ts';
import { readStartOptions } from './start-options.ts';

/** Plans the parts with these options. */
export function planned(...argv: string[]): PartSpec[] {
  const dir = temporaryDirectory();
  const options = readStartOptions([`--data-dir=${dir}`, ...argv], {});
  const pair = (name: string) => ({ certFile: `${name}.crt`, keyFile: `${name}.key` });
  return planParts({
    options,
    certificates: {
      caFile: 'ca.crt',
      caPem: '',
      clientCaFile: 'client-ca.crt',
      peerCaFile: 'peer-ca.crt',
      serving: pair('serving'),
      controllers: pair('controllers'),
      peer: (part) => pair(`peer-${part}`),
      frontProxyCaFile: 'front-proxy-ca.crt',
      frontProxy: pair('front-proxy-client'),
      serviceAccountKeyFile: '/certs/service-account.key',
    },
    port: 6443,
    server: 'https://127.0.0.1:6443',
    postgresUrl: 'postgres://tidegate:pg-secret@127.0.0.1/x',
    natsUrl: 'nats://tidegate:nats-secret@127.0.0.1',
    tokenFiles: ['tokens.csv', 'more.csv'],
    boardAddress: '127.0.0.1:6480',
    partsDir: '/sockets',
    ports: Array.from({ length: portsNeeded(options.workers) }, (_, i) => 1000 + i),
  });
}
