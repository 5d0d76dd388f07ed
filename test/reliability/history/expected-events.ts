import type { Change, ChangeLog } from './change-log.ts';
import { type EventType, type Selector, type State, selects } from './history.ts';

export interface ExpectedEvent {
  readonly type: EventType;
  readonly version: number;
  /** for DELETED, the last state */
  readonly state: State;
}

/** The event that a watch must send for a change; undefined if the selection does not include it. */
export function expectedEvent(log: ChangeLog, change: Change, selector: Selector): ExpectedEvent | undefined {
  const { version, key, state } = change;
  const previous = log.before(key, version);
  const [was, is] = [selects(selector, previous), selects(selector, state)];
  if (is) return { type: was ? 'MODIFIED' : 'ADDED', version, state: state as State };
  return was ? { type: 'DELETED', version, state: previous as State } : undefined;
}

/** The events that a watch must send after one version and through another. */
export function expectedBetween(log: ChangeLog, selector: Selector, after: number, through: number): ExpectedEvent[] {
  return log.between(after, through).flatMap((change) => {
    const event = expectedEvent(log, change, selector);
    return event === undefined ? [] : [event];
  });
}
