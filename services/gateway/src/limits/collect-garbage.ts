import { getHeapStatistics } from 'node:v8';

/** A gateway that has nothing large to do uses less. */
const MUCH_BYTES = 128 << 20;

/**
 * Gives memory back that large objects have left behind. V8 by itself waits until there is several times as much of it as
 * is in use, which is hundreds of MiB after some large objects. Nothing is done where Node does not let us (`--expose-gc`).
 */
export function collectGarbage(): void {
  if (getHeapStatistics().used_heap_size > MUCH_BYTES) void globalThis.gc?.({ type: 'major', execution: 'async' });
}
