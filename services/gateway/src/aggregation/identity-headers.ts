import type { User } from '../request/user.ts';

const EXTRA = 'X-Remote-Extra-';
/** what may stand in a header's name; `%` is written as others are that may not */
const LEGAL = /[^A-Za-z0-9!#$&'*+\-.^_`|~]/g;

/** This server itself, where it asks in nobody's name. */
export const AGGREGATOR: User = { name: 'system:kube-aggregator', uid: '', groups: ['system:masters'] };

/** Who a request is from, for a server that believes this one: names and values in turn. */
export function identityHeaders({ name, uid, groups, extra = {} }: User): string[] {
  const pairs: Array<[name: string, value: string]> = [
    ['X-Remote-User', name],
    ...(uid === '' ? [] : [['X-Remote-Uid', uid] as [string, string]]),
    ...groups.map((group): [string, string] => ['X-Remote-Group', group]),
    ...Object.entries(extra).flatMap(([key, values]) =>
      values.map((value): [string, string] => [EXTRA + escaped(key), value]),
    ),
  ];
  return pairs.flatMap(([header, value]) => [header, asBytes(value)]);
}

function escaped(key: string): string {
  return asBytes(key).replace(LEGAL, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);
}

/** Headers are bytes: each character is one of them. */
function asBytes(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}
