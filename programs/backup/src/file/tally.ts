import { crc32 } from 'node:zlib';
import { BackupError } from './backup-error.ts';
import type { CopyRow } from './copy-rows.ts';
import type { Column, Trailer } from './header.ts';

const NAMED = 100;

/**
 * Counts rows, and finds those whose value does not match its checksum. A value is only read as bytes: those of an
 * encrypted resource stay encrypted.
 */
export class Tally {
  readonly #resources = new Map<string, number>();
  readonly #corrupt: string[] = [];
  readonly #key: readonly number[];
  readonly #checksum: number;
  readonly #value: number;
  readonly #width: number;
  objects = 0;
  bytes = 0;
  corruptCount = 0;

  constructor(columns: readonly Column[]) {
    const at = (name: string): number => {
      const index = columns.findIndex((column) => column.name === name);
      if (index < 0) throw new BackupError(`it is damaged: its rows have no column ${name}`);
      return index;
    };
    this.#key = [at('resource'), at('namespace'), at('name')];
    this.#checksum = at('checksum');
    this.#value = at('value');
    this.#width = columns.length;
  }

  add({ columns }: CopyRow): void {
    const value = columns[this.#value];
    const checksum = columns[this.#checksum];
    const key = this.#key.map((index) => columns[index]?.toString('utf8') ?? '');
    const resource = key[0] as string;
    if (columns.length !== this.#width || value === undefined || checksum?.length !== 4) {
      throw new BackupError(`it is damaged: the row of ${pathOf(key)} is invalid`);
    }
    this.objects++;
    this.bytes += value.length;
    this.#resources.set(resource, (this.#resources.get(resource) ?? 0) + 1);
    if ((crc32(value) | 0) === checksum.readInt32BE(0)) return;
    this.corruptCount++;
    if (this.#corrupt.length < NAMED) this.#corrupt.push(pathOf(key));
  }

  result(): Omit<Trailer, 'digest'> {
    return {
      objects: this.objects,
      bytes: this.bytes,
      resources: Object.fromEntries([...this.#resources].sort()),
      corruptCount: this.corruptCount,
      corrupt: this.#corrupt,
    };
  }
}

function pathOf(key: readonly string[]): string {
  return key.filter((part) => part !== '').join('/');
}
