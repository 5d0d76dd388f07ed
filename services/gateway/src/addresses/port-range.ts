import { OptionError } from '@tidegate/options';

/** The ports that Services may take on every node. */
export class PortRange {
  readonly first: number;
  readonly size: number;
  /** drawn last */
  readonly kept: number;

  constructor(range: string) {
    const [from = '', to = ''] = range.split('-');
    const [first, last] = [Number(from), Number(to)];
    if (!/^\d+$/.test(from) || !/^\d+$/.test(to) || first < 1 || last > 65535 || first > last) {
      throw new OptionError(`--service-node-port-range takes two ports as 30000-32767, not ${range}`);
    }
    this.first = first;
    this.size = last - first + 1;
    this.kept = this.size <= 16 ? 0 : Math.min(128, Math.max(16, Math.floor(this.size / 32)));
  }

  get text(): string {
    return `${this.first}-${this.first + this.size - 1}`;
  }

  contains(port: number): boolean {
    return port >= this.first && port < this.first + this.size;
  }
}
