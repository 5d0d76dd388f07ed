import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:net';
import { until } from '@tidegate/testkit';
import type { Client, Reply } from '../support/client.ts';
import type { RunningSystem, SystemOptions } from '../support/running-system.ts';
import { sharedSystem } from '../support/shared-system.ts';

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
/** what is in the secret that nobody but the administrator may see */
export const TREASURE = 'treasure-5b1d0c';

/**
 * A system with something worth having in `kube-system`, and mallory, who has a name, and the rights that a test gives
 * her.
 */
export class Stage {
  readonly system: RunningSystem;
  readonly client: Client;
  readonly #agent: Agent;

  private constructor(system: RunningSystem) {
    this.system = system;
    this.client = system.client;
    this.#agent = new Agent({ keepAlive: true, ca: readFileSync(system.tidegate.caFile) });
  }

  static async open(options: SystemOptions = {}): Promise<Stage> {
    return Stage.over(await sharedSystem(options));
  }

  static async over(system: RunningSystem): Promise<Stage> {
    const stage = new Stage(system);
    await stage.make('/api/v1/namespaces/kube-system/secrets', {
      metadata: { name: 'safe' },
      stringData: { a: TREASURE },
    });
    await stage.make('/api/v1/namespaces', { metadata: { name: 'own' } });
    return stage;
  }

  async close(): Promise<void> {
    this.#agent.destroy();
    await this.system.stop();
  }

  async make(path: string, body: object): Promise<void> {
    const reply = await this.client.ask('POST', path, { body });
    assert.equal(reply.code, 201, reply.text);
  }

  /** A kind of the group `example.com`, served when this resolves. */
  async define(plural: string, kind: string, openAPIV3Schema: object, scope = 'Cluster'): Promise<void> {
    const names = { plural, singular: kind.toLowerCase(), kind };
    const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }];
    await this.make('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
      metadata: { name: `${plural}.example.com` },
      spec: { group: 'example.com', scope, names, versions },
    });
    const served = async () => (await this.client.get(`/apis/example.com/v1/${plural}`)).code === 200;
    await until(`${plural} to be served`, served);
  }

  /** Rights for mallory: in the namespace `own`, or everywhere. */
  async allow(rules: readonly object[], where: 'own' | 'everywhere' = 'own'): Promise<void> {
    const [prefix, role] = where === 'own' ? [`${RBAC}/namespaces/own/`, 'role'] : [`${RBAC}/`, 'clusterrole'];
    const name = `mallory-${Math.random().toString(36).slice(2)}`;
    await this.make(`${prefix}${role}s`, { metadata: { name }, rules });
    const kind = where === 'own' ? 'Role' : 'ClusterRole';
    await this.make(`${prefix}${role}bindings`, {
      metadata: { name },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind, name },
      subjects: [{ kind: 'User', name: 'mallory', apiGroup: 'rbac.authorization.k8s.io' }],
    });
  }

  ask(method: string, path: string, options: Parameters<Client['ask']>[2] = {}): Promise<Reply> {
    return this.client.ask(method, path, { token: 'mallory-token', ...options });
  }

  /** The path goes out as it is written. */
  rawly(method: string, path: string, headers: Record<string, string> = {}): Promise<{ code: number; text: string }> {
    const { hostname, port } = new URL(this.system.tidegate.server);
    const all = { Authorization: 'Bearer mallory-token', ...headers };
    return new Promise((resolve, reject) => {
      const call = request({ hostname, port, method, path, headers: all, agent: this.#agent }, (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        const end = () => resolve({ code: response.statusCode ?? 0, text: Buffer.concat(parts).toString() });
        // a stream that does not end has an answer all the same
        const cut = setTimeout(() => {
          end();
          response.destroy();
        }, 2000);
        response.on('end', () => {
          clearTimeout(cut);
          end();
        });
        response.on('error', () => {});
      });
      call.on('error', reject);
      call.end();
    });
  }
}

/** Somebody who listens beside the server, and to whom nobody may be led. */
export class Neighbour {
  visits = 0;
  readonly #server: Server = createServer((socket) => {
    this.visits++;
    socket.end('HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsecret');
  });

  async listen(host = '127.0.0.1'): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, host, resolve));
    return this;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  close(): void {
    this.#server.close();
  }
}
