import { expectedEvent } from '../../history/expected-events.ts';
import { contentOf, describeState } from '../../history/history.ts';
import { streamParts } from '../../history/stream-part.ts';
import type { Check } from '../check.ts';

/**
 * Invariant (Filtered): a watch sends only selected objects. An object that enters the selection is ADDED, one that
 * leaves it is DELETED, and one that was never in it is not sent. A DELETED event has the previous state, with the
 * version of the change.
 */
export const filtered: Check = ({ watchers }, log) =>
  watchers.flatMap((watcher) =>
    streamParts(watcher).flatMap((part) =>
      part.events.flatMap((event) => {
        if (event.type === 'BOOKMARK') return [];
        const { version } = event.state;
        const change = log.at(version);
        const expected = change === undefined ? undefined : expectedEvent(log, change, watcher.selector);
        const sent = `${event.type} ${describeState(event.state)}`;
        if (expected === undefined) return [`${watcher.name}: sent ${sent}, which it does not select`];
        return event.type === expected.type && contentOf(event.state) === contentOf(expected.state)
          ? []
          : [`${watcher.name}: sent ${sent} instead of ${expected.type} ${contentOf(expected.state)} at ${version}`];
      }),
    ),
  );
