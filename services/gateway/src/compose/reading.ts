import { Deflater } from '@tidegate/collection';
import type { LargeSteps } from '../limits/large-steps.ts';
import { WatchTimes } from '../mirror/watch-times.ts';
import { CurrentObjects } from '../reading/current-objects.ts';
import { Lists } from '../reading/lists.ts';
import { Watches } from '../reading/watches.ts';
import type { Access } from './access.ts';
import type { Data } from './data.ts';
import type { Given } from './given.ts';

interface From {
  readonly data: Data;
  readonly access: Access;
  readonly largeSteps: LargeSteps;
  readonly shortestMs: number;
}

/** Gets, lists and watches. */
export function composeReading({ gates, metrics }: Given, { data, access, largeSteps, shortestMs }: From) {
  const { collections, conversions, mirrors, objects, store, watchLists, recent } = data;
  const deflater = new Deflater();
  const times = new WatchTimes();
  const listWriting = { deflater, largeSteps };
  const reading = { collections, conversions, mirrors, store, gates, metrics };
  return {
    listWriting,
    currentObjects: new CurrentObjects({ objects, store, mirrors, metrics }),
    lists: new Lists({ ...reading, watchLists, writing: listWriting }),
    watches: new Watches({ ...reading, recent, rights: access.watchRights, times, shortestMs }),
    start: () => times.start(),
    stop() {
      times.stop();
      deflater.close();
    },
  };
}
