import { parseAddress } from '@tidegate/addresses';
import { canonicalAddress, metaOf, serviceClaims } from '@tidegate/kinds';
import { OptionError } from '@tidegate/options';
import type { JsonObject } from '@tidegate/schema';
import { type ApiError, internalError, invalid, invalidValue } from '@tidegate/status';
import { setFamilies } from './ip-families.ts';
import { AddressRange, drawPlace, PortRange } from './ranges.ts';
import {
  drawsNodePorts,
  dropUnneeded,
  isHeadless,
  joinAddressFields,
  keepAllocated,
  needsAddress,
  needsHealthPort,
  type ServiceSpec,
  specOf,
} from './service-spec.ts';

export interface ServiceRanges {
  readonly addresses: readonly AddressRange[];
  readonly ports: PortRange;
}

export function serviceRanges(config: {
  serviceClusterIpRange: readonly string[];
  serviceNodePortRange: string;
}): ServiceRanges {
  const addresses = config.serviceClusterIpRange.map((cidr) => new AddressRange(cidr));
  const families = new Set(addresses.map(({ family }) => family));
  if (addresses.length === 0 || families.size < addresses.length) {
    throw new OptionError('--service-cluster-ip-range takes one range, or one of IPv4 and one of IPv6');
  }
  return { addresses, ports: new PortRange(config.serviceNodePortRange) };
}

/** After so many taken proposals most of the range is in use, and reading all claims is cheaper. */
const MISSES_BEFORE_RELOAD = 8;

/**
 * Allocates the addresses and ports of a Service for one request. Invariant: an allocation is only a proposal; the
 * guards of the commit decide whether it is still free. A refused proposal is not repeated, and a refused request of
 * the client itself is an error.
 */
export class ServiceAllocator {
  readonly #ranges: ServiceRanges;
  readonly #readClaims: () => Promise<Iterable<string>>;
  /** claims that are taken */
  readonly #taken = new Set<string>();
  /** claims for values that the client requested, with the error if they are taken */
  readonly #requested = new Map<string, () => ApiError>();
  #misses = 0;

  /** `readClaims` reads the claims of all Services. */
  constructor(ranges: ServiceRanges, readClaims: () => Promise<Iterable<string>>) {
    this.#ranges = ranges;
    this.#readClaims = readClaims;
  }

  /** For a dry run, which has no commit to decide: reads all taken claims first. */
  async loadTaken(): Promise<void> {
    for (const claim of await this.#readClaims()) this.#taken.add(claim);
  }

  /** Allocates the missing addresses and ports of the Service. */
  allocate(service: JsonObject, old?: JsonObject): void {
    const spec = specOf(service);
    const before = old && specOf(old);
    const own = new Set(old === undefined ? [] : serviceClaims(old));
    this.#requested.clear();
    if (before !== undefined) {
      keepAllocated(spec, before);
      joinAddressFields(spec, before);
      dropUnneeded(spec, before);
    } else joinAddressFields(spec);
    if (!needsAddress(spec)) delete spec.internalTrafficPolicy;
    const families = this.#ranges.addresses.map(({ family }) => family);
    const wrong = setFamilies(spec, before, families);
    if (wrong.length > 0) throw invalid({ group: '', kind: 'Service', name: metaOf(service).name ?? '' }, wrong);
    if (needsAddress(spec) && !isHeadless(spec)) this.#allocateAddresses(service, own);
    new NodePorts({
      service,
      own,
      ports: this.#ranges.ports,
      taken: this.#taken,
      requested: this.#requested,
    }).allocate();
  }

  /** Marks a claim as taken after a refused commit; throws where the client requested it. */
  async refused(claim: string): Promise<void> {
    const error = this.#requested.get(claim);
    if (error !== undefined) throw error();
    this.#taken.add(claim);
    if (++this.#misses === MISSES_BEFORE_RELOAD) await this.loadTaken();
  }

  #allocateAddresses(service: JsonObject, own: ReadonlySet<string>): void {
    const spec = specOf(service);
    const addresses = [...(spec.clusterIPs ?? [])];
    for (const [i, family] of (spec.ipFamilies ?? []).entries()) {
      const range = this.#ranges.addresses.find((one) => one.family === family);
      const address = addresses[i] ?? '';
      if (address === '') addresses[i] = this.#draw(service, range as AddressRange);
      else if (!own.has(claimOf(address))) this.#request(service, range, address);
    }
    spec.clusterIPs = addresses;
    spec.clusterIP = addresses[0] as string;
  }

  #draw(service: JsonObject, range: AddressRange): string {
    const isTaken = (place: number) => this.#taken.has(claimOf(range.at(place)));
    const { namespace, name } = metaOf(service);
    // clients in the cluster expect the API at the first address of the range
    if (namespace === 'default' && name === 'kubernetes' && !isTaken(0)) return range.at(0);
    const place = drawPlace(range.size, range.reserved, (one) => one === 0 || isTaken(one));
    if (place === undefined) throw internalError('failed to allocate a serviceIP: range is full');
    return range.at(place);
  }

  #request(service: JsonObject, range: AddressRange | undefined, address: string): void {
    const claim = claimOf(address);
    const refuse = (why: string) =>
      invalid({ group: '', kind: 'Service', name: metaOf(service).name ?? '' }, [
        invalidValue('spec.clusterIPs', specOf(service).clusterIPs, `failed to allocate IP ${address}: ${why}`),
      ]);
    if (parseAddress(address) === undefined || range?.contains(address) !== true) {
      throw refuse('the provided network does not match the current range');
    }
    if (!range.isUsable(address)) {
      throw refuse(`the provided IP (${address}) is not in the valid range. The range of valid IPs is ${range.text}`);
    }
    const taken = () => refuse('provided IP is already allocated');
    if (this.#taken.has(claim)) throw taken();
    this.#requested.set(claim, taken);
  }
}

function claimOf(address: string): string {
  return `clusterip/${canonicalAddress(address)}`;
}

interface NodePortsOptions {
  service: JsonObject;
  own: ReadonlySet<string>;
  ports: PortRange;
  taken: ReadonlySet<string>;
  requested: Map<string, () => ApiError>;
}

const TAKEN = 'provided port is already allocated';

/** Allocates the node ports of one Service. */
class NodePorts {
  readonly #options: NodePortsOptions;
  readonly #spec: ServiceSpec;
  /** the ports of this Service that are known so far */
  readonly #used = new Set<number>();

  constructor(options: NodePortsOptions) {
    this.#options = options;
    this.#spec = specOf(options.service);
  }

  allocate(): void {
    const spec = this.#spec;
    const ports = spec.ports ?? [];
    for (const port of ports) if (port.nodePort === 0) delete port.nodePort;
    if (spec.type === 'NodePort' || spec.type === 'LoadBalancer') {
      for (const [i, { nodePort }] of ports.entries()) if (nodePort) this.#requestPort(i, nodePort);
      if (drawsNodePorts(spec)) {
        // a port with two protocols shares one node port
        const byPort = new Map<number | undefined, number>();
        for (const { port, nodePort } of ports) if (nodePort && !byPort.has(port)) byPort.set(port, nodePort);
        for (const port of ports) {
          if (port.nodePort) continue;
          port.nodePort = byPort.get(port.port) ?? this.#draw('failed to allocate a nodePort');
          byPort.set(port.port, port.nodePort);
        }
      }
    }
    if (needsHealthPort(spec)) this.#allocateHealthPort();
  }

  #requestPort(i: number, nodePort: number): void {
    const { service, ports, requested } = this.#options;
    const refuse = (why: string) =>
      invalid({ group: '', kind: 'Service', name: metaOf(service).name ?? '' }, [
        invalidValue(`spec.ports[${i}].nodePort`, nodePort, why),
      ]);
    const claim = `nodeport/${nodePort}`;
    const sharing = this.#spec.ports?.findIndex((one) => one.nodePort === nodePort) ?? i;
    if (sharing < i) {
      const [first, second] = [this.#spec.ports?.[sharing], this.#spec.ports?.[i]];
      if (first?.port !== second?.port && !this.#options.own.has(claim)) throw refuse(TAKEN);
      return;
    }
    this.#used.add(nodePort);
    if (this.#options.own.has(claim)) return;
    if (!ports.contains(nodePort)) {
      throw refuse(`provided port is not in the valid range. The range of valid ports is ${ports.text}`);
    }
    if (this.#options.taken.has(claim)) throw refuse(TAKEN);
    requested.set(claim, () => refuse(TAKEN));
  }

  #allocateHealthPort(): void {
    const { own, ports, taken, requested } = this.#options;
    const wanted = this.#spec.healthCheckNodePort;
    if (!wanted) {
      this.#spec.healthCheckNodePort = this.#draw('failed to allocate a HealthCheck NodePort 0');
      return;
    }
    const claim = `nodeport/${wanted}`;
    if (own.has(claim)) return;
    const refuse = (why: string) =>
      internalError(`failed to allocate requested HealthCheck NodePort ${wanted}: ${why}`);
    if (!ports.contains(wanted)) {
      throw refuse(`provided port is not in the valid range. The range of valid ports is ${ports.text}`);
    }
    if (this.#used.has(wanted) || taken.has(claim)) throw refuse(TAKEN);
    requested.set(claim, () => refuse(TAKEN));
  }

  #draw(what: string): number {
    const { ports, taken } = this.#options;
    const { first } = ports;
    const isTaken = (place: number) => this.#used.has(first + place) || taken.has(`nodeport/${first + place}`);
    const place = drawPlace(ports.size, ports.reserved, isTaken);
    if (place === undefined) throw internalError(`${what}: range is full`);
    this.#used.add(first + place);
    return first + place;
  }
}
