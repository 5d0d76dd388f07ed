import { setImmediate } from 'node:timers/promises';
import type { Key } from '@tidegate/wire';

type Look = (key: Key) => Promise<string | undefined>;

/**
 * Looks at the store that are shared by all who ask for the same in one turn of the loop. Whoever sends a thousand
 * requests at once is looked up once.
 *
 * Invariant: a look that has begun is joined by nobody: what it finds may be older than the next one's question.
 */
export function sharedLooks(look: Look): Look {
  const asked = new Map<string, Promise<string | undefined>>();
  const begin = async (name: string, key: Key) => {
    await setImmediate();
    asked.delete(name);
    return look(key);
  };
  return (key) => {
    const name = `${key.resource}/${key.namespace}/${key.name}`;
    let shared = asked.get(name);
    if (shared === undefined) {
      shared = begin(name, key);
      asked.set(name, shared);
    }
    return shared;
  };
}
