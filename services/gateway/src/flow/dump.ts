import type { Seats, Ticket } from '@tidegate/flow-control';
import type { RequestInfo } from '@tidegate/request-info';
import type { Asking } from './turns.ts';

const PLACE = '/debug/api_priority_and_fairness/';

/** The debug dumps of flow control, in the columns of kube-apiserver. */
export function dump(seats: Seats, { path, query }: RequestInfo): string | undefined {
  if (!path.startsWith(PLACE)) return undefined;
  const what = path.slice(PLACE.length);
  if (what === 'dump_priority_levels') return table(levelRows(seats));
  if (what === 'dump_queues') return table(queueRows(seats));
  if (what === 'dump_requests') return table(requestRows(seats, (query.get('includeRequestDetails') ?? '') !== ''));
  return undefined;
}

type Row = ReadonlyArray<string | number | boolean>;
type Levels = ReadonlyArray<Seats['levels'] extends Iterable<infer L> ? L : never>;

function sorted(seats: Seats): Levels {
  return [...seats.levels].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function levelRows(seats: Seats): Row[] {
  const head = 'PriorityLevelName ActiveQueues IsIdle IsQuiescing WaitingRequests ExecutingRequests DispatchedRequests';
  const rows = sorted(seats).map((level): Row => {
    const active = level.queues?.queues.filter(({ waiting }) => waiting.length > 0).length ?? 0;
    const { name, isIdle, isEnding, waiting, executing, dispatched, rejected, timedOut, cancelled } = level;
    return [name, active, isIdle, isEnding, waiting, executing.size, dispatched, rejected, timedOut, cancelled];
  });
  return [[...head.split(' '), 'RejectedRequests', 'TimedoutRequests', 'CancelledRequests'], ...rows];
}

function queueRows(seats: Seats): Row[] {
  const head = 'PriorityLevelName Index PendingRequests ExecutingRequests SeatsInUse NextDispatchR InitialSeatsSum';
  const rows = sorted(seats).flatMap(({ name, queues }) =>
    (queues?.queues ?? []).map(({ index, waiting, executing, seatsInUse, servedMs }): Row => {
      const wanted = waiting.reduce((sum, ticket) => sum + ticket.seats, 0);
      const work = `${(wanted * 0.003).toFixed(8)}ss`;
      return [
        name,
        index,
        waiting.length,
        executing,
        seatsInUse,
        `${(servedMs / 1000).toFixed(8)}ss`,
        wanted,
        wanted,
        work,
      ];
    }),
  );
  return [[...head.split(' '), 'MaxSeatsSum', 'TotalWorkSum'], ...rows];
}

function requestRows(seats: Seats, hasDetails: boolean): Row[] {
  const head =
    'PriorityLevelName FlowSchemaName QueueIndex RequestIndexInQueue FlowDistingsher ArriveTime InitialSeats';
  const rest = ['FinalSeats', 'AdditionalLatency', 'StartTime'];
  const details = ['UserName', 'Verb', 'APIPath', 'Namespace', 'Name', 'APIVersion', 'Resource', 'SubResource'];
  const rows = sorted(seats).flatMap((level) => {
    const waiting = level.queues?.queues.flatMap((queue) => queue.waiting.map((ticket, i) => ({ ticket, i }))) ?? [];
    const executing = [...level.executing].map((ticket) => ({ ticket, i: -1 }));
    return [...waiting, ...executing].map(({ ticket, i }) => requestRow(ticket, i, hasDetails));
  });
  return [[...head.split(' '), ...rest, ...(hasDetails ? details : [])], ...rows];
}

function requestRow(ticket: Ticket, index: number, hasDetails: boolean): Row {
  const { level, request, queue, seats, arrivedMs, seatedMs } = ticket;
  const told = [level.name, request.schema, queue?.index ?? -1, index, request.distinguisher, timeOf(arrivedMs), seats];
  const started = seatedMs === 0 ? '0001-01-01T00:00:00Z' : timeOf(seatedMs);
  const plain = [...told, 0, '0s', started];
  if (!hasDetails) return plain;
  const { user, info } = ticket.about as Asking;
  const place = info.group === '' ? info.version : `${info.group}/${info.version}`;
  return [...plain, user.name, info.verb, info.path, info.namespace, info.name, place, info.resource, info.subresource];
}

function timeOf(ms: number): string {
  return new Date(performance.timeOrigin + ms).toISOString();
}

/** Columns are as wide as their widest cell, at least eight; the last one is not padded. */
function table(rows: readonly Row[]): string {
  const widths = (rows[0] ?? []).map((_, i) => Math.max(8, ...rows.map((row) => String(row[i]).length + 2)));
  const line = (row: Row) =>
    row.map((cell, i) => (i === row.length - 1 ? String(cell) : `${cell},`.padEnd(widths[i] as number))).join('');
  return `${rows.map(line).join('\n')}\n`;
}
