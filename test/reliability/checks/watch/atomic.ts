import { contentOf, describeState } from '../../history/history.ts';
import type { Check } from '../check.ts';
import { isAcknowledged } from '../real-time-order.ts';

/**
 * Invariant (Atomic): an event is one whole change. What it shows is the state that the write of that version was
 * answered with, never a part of it, nor of its neighbour.
 */
export const atomic: Check = ({ operations, watchers }) => {
  const written = new Map(
    operations.filter(isAcknowledged).map(({ outcome }) => [outcome.state.version, outcome.state]),
  );
  return watchers.flatMap((watcher) =>
    watcher.streams.flatMap((stream) =>
      stream.events.flatMap((event) => {
        if (event.type === 'BOOKMARK') return [];
        const wrote = written.get(event.state.version);
        // an object that leaves a selection shows what it was before
        const whole = event.type === 'DELETED' || wrote === undefined || contentOf(wrote) === contentOf(event.state);
        return whole
          ? []
          : [`${watcher.name}: shows ${describeState(event.state)}, the write was ${describeState(wrote)}`];
      }),
    ),
  );
};
