import { type Pool, textArray } from '@tidegate/database';
import type { Key } from '@tidegate/wire';
import type * as port from '../../controllers/port.ts';

const OWNERS = 'SELECT place, uid, waits FROM tidegate.owner_states($1::text[], $2::text[], $3::text[])';
const DEPENDENTS = 'SELECT place, are_there, wait, block FROM tidegate.dependent_states($1::text[], $2::text[])';

/** The garbage collector's queries for the owners and the dependents of objects. */
export class OwnershipQueries implements port.OwnershipQueries {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  async owners(keys: readonly Key[]): Promise<Array<port.OwnerRecord | undefined>> {
    const found: Array<port.OwnerRecord | undefined> = new Array(keys.length).fill(undefined);
    if (keys.length === 0) return found;
    const columns = (['resource', 'namespace', 'name'] as const).map((part) => textArray(keys.map((key) => key[part])));
    for (const row of await this.#pool.query(OWNERS, columns)) {
      const [place, uid, waits] = row as [number, string, boolean];
      found[place - 1] = { uid, waits };
    }
    return found;
  }

  async dependents(
    owners: ReadonlyArray<{ readonly uid: string; readonly namespace: string }>,
  ): Promise<Array<port.DependentsState | undefined>> {
    const found: Array<port.DependentsState | undefined> = new Array(owners.length).fill(undefined);
    if (owners.length === 0) return found;
    const uids = textArray(owners.map(({ uid }) => uid));
    const namespaces = textArray(owners.map(({ namespace }) => namespace));
    for (const row of await this.#pool.query(DEPENDENTS, [uids, namespaces])) {
      const [place, exist, wait, block] = row as [number, boolean, boolean, boolean];
      found[place - 1] = { exist, wait, block };
    }
    return found;
  }
}
