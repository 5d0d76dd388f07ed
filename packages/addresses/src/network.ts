import { Address, parseAddress, parseLenientAddress } from './address.ts';

/** The addresses that share their first bits: `10.9.8.0/24`. */
export class Network {
  /** as it was written; it need not be the first address of the network */
  readonly address: Address;
  /** the number of shared bits */
  readonly length: number;

  constructor(address: Address, length: number) {
    this.address = address;
    this.length = length;
  }

  get first(): Address {
    const rest = BigInt(this.address.bits - this.length);
    return new Address((this.address.number >> rest) << rest, this.address.bits);
  }

  contains(address: Address): boolean {
    if (address.bits !== this.address.bits) return false;
    const rest = BigInt(address.bits - this.length);
    return address.number >> rest === this.address.number >> rest;
  }

  /** Whether this network contains all addresses of the other one. */
  covers(other: Network): boolean {
    return this.length <= other.length && this.contains(other.address);
  }

  toString(): string {
    return `${this.address}/${this.length}`;
  }
}

export function parseNetwork(text: string): Network | undefined {
  const [, host = '', length = ''] = /^([^/]+)\/(0|[1-9]\d{0,2})$/.exec(text) ?? [];
  return networkOf(parseAddress(host), length);
}

/** Accepts leading zeros in decimal numbers, as Kubernetes does in objects. */
export function parseLenientNetwork(text: string): Network | undefined {
  const [, host = '', length = ''] = /^([^/]+)\/(\d{1,3})$/.exec(text) ?? [];
  return networkOf(parseLenientAddress(host), length);
}

function networkOf(address: Address | undefined, length: string): Network | undefined {
  if (address === undefined || length === '' || Number(length) > address.bits) return undefined;
  return new Network(address, Number(length));
}
