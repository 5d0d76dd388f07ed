import type { User } from '../request/user.ts';

const EXTRA = 'X-Remote-Extra-';
/** the characters to escape in a header's name, `%` among them */
const LEGAL = /[^A-Za-z0-9!#$&'*+\-.^_`|~]/g;

/** The user of this server's own requests. */
export const AGGREGATOR: User = { name: 'system:kube-aggregator', uid: '', groups: ['system:masters'] };

/** The headers that pass a request's user to a remote server: alternating names and values. */
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

/** Node writes headers as latin1, one byte for each character. */
function asBytes(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}
