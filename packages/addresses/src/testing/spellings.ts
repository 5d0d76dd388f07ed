import { Address } from '../address.ts';

/** The texts that a strict parser reads as this address. */
export function spellingsOf(address: Address): string[] {
  if (address.bits === 32) return [address.toString()];
  const groups = Array.from({ length: 8 }, (_, i) => Number((address.number >> BigInt(112 - 16 * i)) & 0xffffn));
  const hex = (width: number) => groups.map((group) => group.toString(16).padStart(width, '0'));
  const whole = hex(1);
  const tail = new Address(address.number & 0xffffffffn, 32).toString();
  const texts = [address.toString(), whole.join(':'), hex(4).join(':'), `${whole.slice(0, 6).join(':')}:${tail}`];
  // every run of zeros may be left out, also a part of one
  for (let from = 0; from < 8; from++) {
    for (let to = from + 1; to <= 8 && groups[to - 1] === 0; to++) {
      texts.push(`${whole.slice(0, from).join(':')}::${whole.slice(to).join(':')}`);
      if (to <= 6) texts.push(`${whole.slice(0, from).join(':')}::${[...whole.slice(to, 6), tail].join(':')}`);
    }
  }
  return [...new Set(texts.flatMap((text) => [text, text.toUpperCase()]))];
}

/** The IPv6 addresses that contain this IPv4 address, by the name of their form. */
export function formsOf({ number }: Address): ReadonlyArray<readonly [form: string, address: Address]> {
  const high = (text: string) => BigInt(`0x${text}`);
  const forms: ReadonlyArray<readonly [string, bigint]> = [
    ['mapped', (0xffffn << 32n) | number],
    ['compatible', number],
    ['translated', (0xffffn << 48n) | number],
    ['NAT64', (high('64ff9b') << 96n) | number],
    ['6to4', (0x2002n << 112n) | (number << 80n) | 1n],
    ['Teredo', (high('20010000') << 96n) | (number ^ 0xffffffffn)],
  ];
  return forms.map(([form, value]) => [form, new Address(value, 128)]);
}
