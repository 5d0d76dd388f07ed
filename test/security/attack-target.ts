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
/** the value in a Secret that only the administrator may read */
export const SECRET_VALUE = 'treasure-5b1d0c';

/**
 * A system with a Secret in `kube-system`, and the user mallory, who is authenticated and has only the permissions that
 * a test grants.
 */
export class AttackTarget {
  readonly system: RunningSystem;
  readonly client: Client;
  readonly #agent: Agent;

  private constructor(system: RunningSystem) {
    this.system = system;
    this.client = system.client;
    this.#agent = new Agent({ keepAlive: true, ca: readFileSync(system.tidegate.caFile) });
  }

  static async open(options: SystemOptions = {}): Promise<AttackTarget> {
    return AttackTarget.over(await sharedSystem(options));
  }

  static async over(system: RunningSystem): Promise<AttackTarget> {
    const target = new AttackTarget(system);
    await target.make('/api/v1/namespaces/kube-system/secrets', {
      metadata: { name: 'safe' },
      stringData: { a: SECRET_VALUE },
    });
    await target.make('/api/v1/namespaces', { metadata: { name: 'own' } });
    return target;
  }

  async close(): Promise<void> {
    this.#agent.destroy();
    await this.system.stop();
  }

  async make(path: string, body: object): Promise<void> {
    const reply = await this.client.request('POST', path, { body });
    assert.equal(reply.code, 201, reply.text);
  }

  /** Defines a kind of the group `example.com`, which is served when this resolves. */
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

  /** Grants permissions to mallory, in the namespace `own` or everywhere. */
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

  request(method: string, path: string, options: Parameters<Client['request']>[2] = {}): Promise<Reply> {
    return this.client.request(method, path, { token: 'mallory-token', ...options });
  }

  /** Sends the path without normalizing it. */
  requestRawPath(
    method: string,
    path: string,
    headers: Record<string, string> = {},
  ): Promise<{ code: number; text: string }> {
    const { hostname, port } = new URL(this.system.tidegate.server);
    const all = { Authorization: 'Bearer mallory-token', ...headers };
    return new Promise((resolve, reject) => {
      const call = request({ hostname, port, method, path, headers: all, agent: this.#agent }, (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        const end = () => resolve({ code: response.statusCode ?? 0, text: Buffer.concat(parts).toString() });
        // the answer of a watch does not end, so it is cut off
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

/** A server on this machine to which Tidegate must never connect; counts connections. */
export class ForbiddenServer {
  connections = 0;
  readonly #server: Server = createServer((socket) => {
    this.connections++;
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
