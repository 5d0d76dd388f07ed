import { contentOf, describeState } from '../../history/history.ts';
import type { Check } from '../check.ts';
import { isAcknowledged } from '../real-time-order.ts';

/**
 * Invariant (Atomic): an event is one whole change. Its state is the state in the answer to the write with that version,
 * never a part of it or of another write.
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
        // for an object that leaves the selection, the event has the previous state
        const whole = event.type === 'DELETED' || wrote === undefined || contentOf(wrote) === contentOf(event.state);
        return whole
          ? []
          : [`${watcher.name}: shows ${describeState(event.state)}, the write was ${describeState(wrote)}`];
      }),
    ),
  );
};
