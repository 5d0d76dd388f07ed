import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { peerCertificates, type TestCertificates } from '@tidegate/testkit';
import { BackEndServer } from '../support/back-end-server.ts';
import type { Client } from '../support/client.ts';
import { type RunningSystem, runningSystem } from '../support/running-system.ts';

export const PODS = '/api/v1/namespaces/default/pods';
export const SERVICES = '/api/v1/namespaces/default/services';
export const NODES = '/api/v1/nodes';
const MERGE = { 'Content-Type': 'application/merge-patch+json' };

/** An IPv4 address of this machine that is neither loopback nor link-local, because endpoints of Services must be such. */
export const publicAddress = Object.values(networkInterfaces())
  .flatMap((all = []) => all)
  .find(({ family, internal, address }) => family === 'IPv4' && !internal && !address.startsWith('169.254.'))?.address;

interface PodOptions {
  readonly node?: string;
  readonly containers?: readonly string[];
  readonly ip?: string;
  readonly port?: number;
}

/** A system whose nodes, pods and Services are servers of the test on this machine. */
export class ProxySetup {
  readonly system: RunningSystem;
  readonly client: Client;
  readonly certificates: TestCertificates;
  /** the kubelet of the node `plain` */
  readonly kubelet: BackEndServer;
  /** the server behind the pods */
  readonly app: BackEndServer;
  readonly secureApp: BackEndServer;

  private constructor(parts: Pick<ProxySetup, 'system' | 'client' | 'certificates' | 'kubelet' | 'app' | 'secureApp'>) {
    this.system = parts.system;
    this.client = parts.client;
    this.certificates = parts.certificates;
    this.kubelet = parts.kubelet;
    this.app = parts.app;
    this.secureApp = parts.secureApp;
  }

  static async open(): Promise<ProxySetup> {
    const certificates = await peerCertificates();
    const client = certificates.peer('gateway');
    const system = await runningSystem({
      env: {
        TIDEGATE_PROXY_ALLOW_ADDRESSES: '127.0.0.0/8',
        TIDEGATE_KUBELET_CLIENT_CERTIFICATE: client.certFile,
        TIDEGATE_KUBELET_CLIENT_KEY: client.keyFile,
        TIDEGATE_KUBELET_CERTIFICATE_AUTHORITY: certificates.peerCaFile,
        TIDEGATE_KUBELET_TIMEOUT: '20000',
      },
    });
    const { certFile, keyFile } = certificates.peer('store');
    const secured = {
      cert: readFileSync(certFile),
      key: readFileSync(keyFile),
      ca: readFileSync(certificates.peerCaFile),
    };
    const [kubelet, app, secureApp] = await Promise.all([
      new BackEndServer(secured).listen(),
      new BackEndServer().listen('0.0.0.0'),
      new BackEndServer(secured).listen('0.0.0.0'),
    ]);
    const setup = new ProxySetup({ system, client: system.client, certificates, kubelet, app, secureApp });
    await setup.node('plain', kubelet.port);
    return setup;
  }

  async close(): Promise<void> {
    for (const server of [this.kubelet, this.app, this.secureApp]) server.stop();
    await this.system.stop();
    this.certificates.remove();
  }

  async node(name: string, port: number, address = '127.0.0.1'): Promise<void> {
    await this.#make(NODES, name, {});
    const status = {
      addresses: [{ type: 'InternalIP', address }],
      daemonEndpoints: { kubeletEndpoint: { Port: port } },
    };
    await this.#status(`${NODES}/${name}`, status);
  }

  /** Creates a running pod, or a pending one without a node. */
  async pod(name: string, { node, containers = ['main'], ip, port }: PodOptions = {}): Promise<void> {
    const ports = port === undefined ? {} : { ports: [{ containerPort: port }] };
    const spec = {
      ...(node === undefined ? {} : { nodeName: node }),
      containers: containers.map((container) => ({ name: container, image: 'app:1', stdin: true, ...ports })),
    };
    await this.#make(PODS, name, { spec });
    if (node === undefined && ip === undefined) return;
    const addresses = ip === undefined ? {} : { podIP: ip, podIPs: [{ ip }] };
    await this.#status(`${PODS}/${name}`, { phase: 'Running', ...addresses });
  }

  async make(path: string, name: string, rest: object): Promise<void> {
    await this.#make(path, name, rest);
  }

  async #make(path: string, name: string, rest: object): Promise<void> {
    const made = await this.client.request('POST', path, { body: { metadata: { name }, ...rest } });
    assert.equal(made.code, 201, made.text);
  }

  async #status(path: string, status: object): Promise<void> {
    const patched = await this.client.request('PATCH', `${path}/status`, { body: { status }, headers: MERGE });
    assert.equal(patched.code, 200, patched.text);
  }
}
