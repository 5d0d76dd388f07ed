import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { projectRoot } from '@tidegate/local';
import { temporaryDir } from '@tidegate/testkit';
import { load } from 'js-yaml';
import { PARTS, parsedOptions } from '../chart/support/option-tables.ts';

interface Service {
  readonly '<<'?: Service;
  readonly image: string;
  readonly command: readonly string[];
  readonly environment?: Record<string, string>;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly depends_on?: Record<string, { condition: string }>;
  readonly read_only?: boolean;
}

const text = readFileSync(join(projectRoot, 'compose.yaml'), 'utf8');
const { services: written, volumes } = load(text) as { services: Record<string, Service>; volumes: object };
const services: Record<string, Service> = Object.fromEntries(
  Object.entries(written).map(([name, { '<<': shared, ...own }]) => [name, { ...shared, ...own }]),
);
const parts = PARTS.map((part) => [part, services[part] as Service] as const);

describe('The compose file', () => {
  test('Each part gets only known options, and all required ones.', async () => {
    for (const [part, { command, environment = {} }] of parts) {
      assert.equal(command[0], part);
      await parsedOptions(part, command.slice(1), environment);
    }
  });

  test('The compose file names only files that its first step creates.', () => {
    const dir = temporaryDir('compose');
    const main = join(projectRoot, 'programs/image/src/main.ts');
    const [command = '', ...options] = services.certificates?.command ?? [];
    const args = options.map((one) => one.replace('/var/lib/tidegate', dir.path));
    execFileSync(process.execPath, [main, command, ...args]);
    for (const [part, { command: given }] of parts) {
      const files = given.flatMap((one) => /=(\/var\/lib\/tidegate\/.*)$/.exec(one)?.[1] ?? []);
      assert.ok(files.length >= 3);
      for (const file of files) assert.ok(existsSync(file.replace('/var/lib/tidegate', dir.path)), `${part}: ${file}`);
    }
    dir.remove();
  });

  test('Every address is an existing service with a port on which it listens.', () => {
    const listens = (name: string, port: string) =>
      KNOWN_PORTS[name]?.includes(port) ??
      services[name]?.command.some((one) => one.endsWith(`:${port}`) || one === `--port=${port}`);
    for (const [part, { command, environment = {} }] of parts) {
      const text = [...command, ...Object.values(environment)].join(' ');
      const called = [...text.matchAll(/(?:\/\/\/|:\/\/|@)([a-z]+):(\d+)/g)];
      assert.ok(called.length > 0);
      for (const [, name = '', port = ''] of called) assert.ok(listens(name, port), `${part} calls ${name}:${port}`);
    }
  });

  test('Parts start only after the certificates exist and PostgreSQL is healthy.', () => {
    for (const [part, { depends_on: after = {} }] of parts) {
      assert.equal(after.certificates?.condition, 'service_completed_successfully', part);
    }
    assert.equal(services.store?.depends_on?.postgresql?.condition, 'service_healthy');
    for (const { depends_on: after = {} } of Object.values(services)) {
      for (const name of Object.keys(after)) assert.ok(services[name], name);
    }
  });

  test('Ports are published on loopback only, and only the first step can write certificates.', () => {
    for (const [name, { ports = [], volumes: mounted = [] }] of Object.entries(services)) {
      for (const port of ports) assert.match(port, /^127\.0\.0\.1:/);
      for (const volume of mounted) {
        const [source = '', , mode] = volume.split(':');
        assert.ok(Object.hasOwn(volumes, source), volume);
        assert.equal(mode === 'ro', source === 'state' && name !== 'certificates');
      }
    }
    for (const [, service] of parts) assert.equal(service.read_only, true);
  });

  test('The engines are those of the chart, and both sides have the same passwords.', () => {
    const values = readFileSync(join(projectRoot, 'charts/tidegate/values.yaml'), 'utf8');
    for (const engine of ['postgresql', 'nats'])
      assert.ok(values.includes(`image: ${services[engine]?.image}\n`), engine);
    const {
      POSTGRES_USER: user,
      POSTGRES_PASSWORD: password,
      POSTGRES_DB: name,
    } = services.postgresql?.environment ?? {};
    assert.equal(
      services.store?.environment?.TIDEGATE_POSTGRES_URL,
      `postgres://${user}:${password}@postgresql:5432/${name}`,
    );
    const [, , natsUser, , natsPassword] = services.nats?.command ?? [];
    for (const part of ['store', 'watch']) {
      assert.equal(services[part]?.environment?.TIDEGATE_NATS_URL, `nats://${natsUser}:${natsPassword}@nats:4222`);
    }
  });
});

/** The ports of third-party images. */
const KNOWN_PORTS: Readonly<Record<string, readonly string[]>> = {
  postgresql: ['5432'],
  nats: ['4222'],
  traces: ['4318', '16686'],
};
