import { readYamlFile } from '@tidegate/schema';
import { aesCbc, aesGcm, type Provider, secretbox } from './providers.ts';

/** 'identity' stores values unencrypted. The first choice encrypts, all of them decrypt. */
type Choice = Provider | 'identity';
export type Choices = readonly Choice[];

interface Rule {
  readonly resources: readonly string[];
  readonly choices: Choices;
}

type Json = Record<string, unknown>;

const makers: Readonly<Record<string, { sizes: readonly number[]; make: (name: string, secret: Buffer) => Provider }>> =
  {
    aesgcm: { sizes: [16, 24, 32], make: aesGcm },
    aescbc: { sizes: [16, 24, 32], make: aesCbc },
    secretbox: { sizes: [32], make: secretbox },
  };

/** Which resources are encrypted, and how. The first entry that matches a resource applies. */
export class EncryptionConfiguration {
  readonly #rules: readonly Rule[];

  constructor(rules: readonly Rule[] = []) {
    this.#rules = rules;
  }

  /** undefined: no entry matches the resource, so it is stored unencrypted */
  choicesFor(resource: string): Choices | undefined {
    return this.#rules.find((rule) => rule.resources.some((pattern) => covers(pattern, resource)))?.choices;
  }
}

/** Resources are `secrets` or `deployments.apps`, `*.` (all of the core), `*.apps` or `*.*`. */
function covers(pattern: string, resource: string): boolean {
  if (pattern === '*.*' || pattern === resource) return true;
  const dot = resource.indexOf('.');
  const group = dot < 0 ? '' : resource.slice(dot + 1);
  return pattern.startsWith('*.') && pattern.slice(2) === group;
}

/** Reads an EncryptionConfiguration in kube-apiserver's form. The error of each mistake names its place. */
export function readConfiguration(text: string): EncryptionConfiguration {
  const document = objectAt(readYamlFile(text), 'the file');
  if (document.kind !== 'EncryptionConfiguration' || document.apiVersion !== 'apiserver.config.k8s.io/v1') {
    throw new Error('the file must be an EncryptionConfiguration of apiserver.config.k8s.io/v1');
  }
  const rules = listAt(document.resources, 'resources').map((entry, i) => readRule(entry, `resources[${i}]`));
  rejectHidden(rules);
  return new EncryptionConfiguration(rules);
}

function readRule(entry: unknown, at: string): Rule {
  const rule = objectAt(entry, at);
  const resources = listAt(rule.resources, `${at}.resources`).map((name, i) => {
    if (typeof name === 'string' && /^(\*\.(\*|[a-z0-9.-]*)|[a-z0-9][a-z0-9.-]*)$/.test(name)) return name;
    const what =
      name === '*' ? 'use *. for the core and *.* for everything' : 'it must look like secrets or jobs.batch';
    throw new Error(`${at}.resources[${i}]: ${JSON.stringify(name)} is not a valid resource: ${what}`);
  });
  const choices = listAt(rule.providers, `${at}.providers`).flatMap((one, i) =>
    readProvider(one, `${at}.providers[${i}]`),
  );
  return { resources, choices };
}

function readProvider(entry: unknown, at: string): Choice[] {
  const provider = objectAt(entry, at);
  const [kind, ...more] = Object.keys(provider);
  if (kind === undefined || more.length > 0)
    throw new Error(`${at} must name one provider, and has ${more.length + 1}`);
  if (kind === 'identity') return ['identity'];
  const maker = Object.hasOwn(makers, kind) ? makers[kind] : undefined;
  if (maker === undefined) {
    throw new Error(`${at}: unknown provider ${kind}; use ${Object.keys(makers).join(', ')} or identity`);
  }
  const keys = listAt(objectAt(provider[kind], `${at}.${kind}`).keys, `${at}.${kind}.keys`);
  const names = new Set<string>();
  return keys.map((one, i) => {
    const place = `${at}.${kind}.keys[${i}]`;
    const { name, secret } = objectAt(one, place);
    if (typeof name !== 'string' || name === '' || name.includes(':')) {
      throw new Error(`${place}.name must be a text without colons`);
    }
    if (names.has(name)) throw new Error(`${place}.name: duplicate key name ${name}`);
    names.add(name);
    return maker.make(name, readSecret(secret, maker.sizes, `${place}.secret`));
  });
}

/** No error message contains the secret. */
function readSecret(secret: unknown, sizes: readonly number[], at: string): Buffer {
  const bytes = typeof secret === 'string' ? Buffer.from(secret, 'base64') : Buffer.alloc(0);
  if (bytes.length === 0 || bytes.toString('base64').replace(/=+$/, '') !== String(secret).trim().replace(/=+$/, '')) {
    throw new Error(`${at} must be base64`);
  }
  if (!sizes.includes(bytes.length)) {
    throw new Error(`${at} must have ${sizes.join(' or ')} bytes, and has ${bytes.length}`);
  }
  return bytes;
}

/** Rejects an entry that can never apply, because such a mistake may leave data unencrypted. */
function rejectHidden(rules: readonly Rule[]): void {
  const seen: string[] = [];
  rules.forEach(({ resources }, i) => {
    for (const name of resources) {
      const hiding = seen.find((pattern) => covers(pattern, name));
      if (hiding !== undefined) throw new Error(`resources[${i}]: ${name} is already covered by ${hiding}`);
      seen.push(name);
    }
  });
}

function objectAt(value: unknown, at: string): Json {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error(`${at} must be an object`);
  return value as Json;
}

function listAt(value: unknown, at: string): unknown[] {
  if (!Array.isArray(value) || value.length === 0) throw new Error(`${at} must be a list with at least one entry`);
  return value;
}
