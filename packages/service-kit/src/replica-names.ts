import { lookup, Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';

/** The address of one process of a part. */
export interface Replica {
  readonly address: string;
  /** the name in its certificate; undefined: the address */
  readonly serverName?: string;
}

/** Resolves a name. `server` is the DNS server; empty: the resolver of the machine. */
export type LookUp = (name: string, server: string) => Promise<readonly string[]>;

type Timer = ReturnType<typeof setTimeout>;

export interface ReplicaNamesOptions {
  /** HOST:PORT, unix:PATH, or dns://[SERVER]/NAME:PORT */
  readonly names: readonly string[];
  readonly changed?: (replicas: readonly Replica[]) => void;
  readonly lookUp?: LookUp;
  readonly everyMs?: number;
  readonly setTimeoutFn?: (work: () => void, ms: number) => Timer;
}

interface DnsName {
  readonly server: string;
  readonly host: string;
  readonly port: string;
}

const EVERY_MS = 5000;
/** the interval until a name is resolved for the first time */
const FIRST_EVERY_MS = 250;

/**
 * The replicas of a part: fixed addresses, and the addresses of names, which are resolved periodically.
 *
 * Invariant: a name that cannot be resolved keeps its last addresses; before the first success it is an address itself.
 * A failing DNS removes no replica.
 *
 *     names:     dns:///store:7443
 *     DNS says:  10.0.0.7, 10.0.0.9
 *     replicas:  10.0.0.7:7443 and 10.0.0.9:7443, both with certificates for `store`
 */
export class ReplicaNames {
  readonly #options: ReplicaNamesOptions;
  readonly #names: ReadonlyArray<{ text: string; dns: DnsName | undefined }>;
  readonly #found = new Map<string, readonly string[]>();
  readonly #setTimeout: (work: () => void, ms: number) => Timer;
  #replicas: readonly Replica[];
  #timer: Timer | undefined;
  #closed = false;

  /** Throws if a name is malformed. */
  constructor(options: ReplicaNamesOptions) {
    this.#options = options;
    this.#setTimeout = options.setTimeoutFn ?? setTimeout;
    this.#names = options.names.map((text) => ({ text, dns: dnsName(text) }));
    this.#replicas = this.#gathered();
    if (this.#names.some(({ dns }) => dns !== undefined)) void this.#round();
  }

  get replicas(): readonly Replica[] {
    return this.#replicas;
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  async #round(): Promise<void> {
    await Promise.all(this.#names.map((name) => this.#resolve(name)));
    if (this.#closed) return;
    const before = this.#replicas;
    this.#replicas = this.#gathered();
    if (!isSame(before, this.#replicas)) this.#options.changed?.(this.#replicas);
    const isComplete = this.#names.every(({ text, dns }) => dns === undefined || this.#found.has(text));
    const everyMs = this.#options.everyMs ?? EVERY_MS;
    this.#timer = this.#setTimeout(() => void this.#round(), isComplete ? everyMs : Math.min(everyMs, FIRST_EVERY_MS));
    this.#timer.unref?.();
  }

  async #resolve({ text, dns }: { text: string; dns: DnsName | undefined }): Promise<void> {
    if (dns === undefined) return;
    try {
      const addresses = await (this.#options.lookUp ?? lookUpName)(dns.host, dns.server);
      if (addresses.length > 0) this.#found.set(text, oneFamily(addresses));
    } catch {
      // an error of DNS: the last addresses are kept until the next round
    }
  }

  #gathered(): readonly Replica[] {
    const all = this.#names.flatMap(({ text, dns }): Replica[] => {
      const addresses = this.#found.get(text);
      if (dns === undefined || addresses === undefined) return [{ address: text }];
      return addresses.map((ip) => ({ address: joined(ip, dns.port), serverName: dns.host }));
    });
    return [...new Map(all.map((replica) => [replica.address, replica])).values()];
  }
}

/** undefined for a fixed address */
function dnsName(text: string): DnsName | undefined {
  if (!text.startsWith('dns:')) return undefined;
  const match = /^dns:\/\/(?<server>[^/]*)\/(?<host>[^/:[\]]+|\[[^\]]+\]):(?<port>\d{1,5})$/.exec(text);
  if (match?.groups === undefined) {
    throw new Error(`${text} is not a valid name of replicas: use dns:///NAME:PORT, as in dns:///tidegate-store:7443`);
  }
  const { server = '', host = '', port = '' } = match.groups;
  return { server, host: host.replace(/^\[|\]$/g, ''), port };
}

async function lookUpName(name: string, server: string): Promise<readonly string[]> {
  if (isIP(name) !== 0) return [name];
  if (server === '') return (await lookup(name, { all: true })).map(({ address }) => address);
  const resolver = new Resolver({ timeout: 1000, tries: 2 });
  resolver.setServers([server]);
  const found = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  return found.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
}

/** One family only: a process with an IPv4 and an IPv6 address is one replica. */
function oneFamily(addresses: readonly string[]): readonly string[] {
  const four = addresses.filter((address) => isIP(address) === 4);
  return [...new Set(four.length > 0 ? four : addresses)].sort();
}

function joined(ip: string, port: string): string {
  return isIP(ip) === 6 ? `[${ip}]:${port}` : `${ip}:${port}`;
}

function isSame(some: readonly Replica[], others: readonly Replica[]): boolean {
  return some.length === others.length && some.every(({ address }, i) => address === others[i]?.address);
}
