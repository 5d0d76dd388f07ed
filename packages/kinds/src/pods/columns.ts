import type { Json, JsonObject } from '@tidegate/schema';
import type { ByResource } from '../family.ts';
import type { Column } from '../kind-entry.ts';
import { hasCondition, listAt, NONE, numberAt, textAt } from '../rules/cells.ts';
import { ageColumn, ageOf, column, nameColumn, wide } from '../rules/columns.ts';
import { valueAt } from '../rules/fields.ts';

interface PodSummary {
  status: string;
  ready: number;
  total: number;
  restarts: number;
  lastRestart: string | undefined;
}

export const podColumns: readonly Column[] = [
  nameColumn,
  column('Ready', 'Containers that are ready, of all', (pod) => {
    const { ready, total } = summaryOf(pod);
    return `${ready}/${total}`;
  }),
  column('Status', 'What the pod is doing, or why it does not', (pod) => summaryOf(pod).status),
  column('Restarts', 'How often containers were started again, and when last', (pod) => {
    const { restarts, lastRestart } = summaryOf(pod);
    return restarts > 0 && lastRestart !== undefined ? `${restarts} (${ageOf(lastRestart)} ago)` : String(restarts);
  }),
  ageColumn,
  wide('IP', 'First address of the pod', (pod) => {
    const [first] = listAt(pod, 'status.podIPs');
    return first === undefined ? NONE : textAt(first, 'ip', NONE);
  }),
  wide('Node', 'Node on which the pod runs', (pod) => textAt(pod, 'spec.nodeName', NONE)),
  wide('Nominated Node', 'Node on which room is being made for the pod', (pod) =>
    textAt(pod, 'status.nominatedNodeName', NONE),
  ),
  wide('Readiness Gates', 'Conditions of others that hold, of all that readiness waits for', (pod) => {
    const gates = listAt(pod, 'spec.readinessGates');
    const open = gates.filter(({ conditionType }) => hasCondition(pod, String(conditionType)));
    return gates.length === 0 ? NONE : `${open.length}/${gates.length}`;
  }),
];

/** All cells of a row need the same summary of the pod, which is computed once. */
const summaries = new WeakMap<JsonObject, PodSummary>();

function summaryOf(pod: JsonObject): PodSummary {
  let look = summaries.get(pod);
  if (look === undefined) {
    look = summarize(pod);
    summaries.set(pod, look);
  }
  return look;
}

function summarize(pod: JsonObject): PodSummary {
  const restartable = listAt(pod, 'spec.initContainers').filter(({ restartPolicy }) => restartPolicy === 'Always');
  const look: PodSummary = {
    status: textAt(pod, 'status.reason') || textAt(pod, 'status.phase'),
    ready: 0,
    total: listAt(pod, 'spec.containers').length + restartable.length,
    restarts: 0,
    lastRestart: undefined,
  };
  if (listAt(pod, 'status.conditions').some(isGated)) look.status = 'SchedulingGated';
  const sidecars = new Set(restartable.map(({ name }) => name));
  const initializing = summarizeInitContainers(pod, look, sidecars);
  if (!initializing || hasCondition(pod, 'Initialized')) summarizeContainers(pod, look, sidecars);
  if (valueAt(pod, 'metadata.deletionTimestamp') !== undefined) {
    if (textAt(pod, 'status.reason') === 'NodeLost') look.status = 'Unknown';
    else if (!['Succeeded', 'Failed'].includes(textAt(pod, 'status.phase'))) look.status = 'Terminating';
  }
  return look;
}

function isGated({ type, reason }: JsonObject): boolean {
  return type === 'PodScheduled' && reason === 'SchedulingGated';
}

/** Init containers run one after another: the first unfinished one decides the status. */
function summarizeInitContainers(pod: JsonObject, look: PodSummary, sidecars: ReadonlySet<Json | undefined>): boolean {
  const all = listAt(pod, 'spec.initContainers').length;
  for (const [i, container] of listAt(pod, 'status.initContainerStatuses').entries()) {
    countRestarts(look, container);
    const terminated = valueAt(container, 'state.terminated') as JsonObject | undefined;
    const waiting = textAt(container, 'state.waiting.reason');
    if (terminated?.exitCode === 0) continue;
    if (sidecars.has(container.name) && container.started === true) {
      if (container.ready === true) look.ready++;
      continue;
    }
    if (terminated !== undefined) look.status = `Init:${endOf(terminated)}`;
    else if (waiting !== '' && waiting !== 'PodInitializing') look.status = `Init:${waiting}`;
    else look.status = `Init:${i}/${all}`;
    return true;
  }
  return false;
}

/** The first container that waits or has ended decides the status. */
function summarizeContainers(pod: JsonObject, look: PodSummary, sidecars: ReadonlySet<Json | undefined>): void {
  look.restarts = 0;
  look.lastRestart = undefined;
  for (const container of listAt(pod, 'status.initContainerStatuses')) {
    if (sidecars.has(container.name)) countRestarts(look, container);
  }
  let running = false;
  for (const container of listAt(pod, 'status.containerStatuses').reverse()) {
    countRestarts(look, container);
    const waiting = textAt(container, 'state.waiting.reason');
    const terminated = valueAt(container, 'state.terminated') as JsonObject | undefined;
    if (waiting !== '') look.status = waiting;
    else if (terminated !== undefined) look.status = endOf(terminated);
    else if (container.ready === true && valueAt(container, 'state.running') !== undefined) {
      running = true;
      look.ready++;
    }
  }
  if (look.status === 'Completed' && running) look.status = hasCondition(pod, 'Ready') ? 'Running' : 'NotReady';
}

function endOf(terminated: JsonObject): string {
  const { reason, signal } = terminated;
  if (reason) return String(reason);
  return signal ? `Signal:${String(signal)}` : `ExitCode:${numberAt(terminated, 'exitCode')}`;
}

function countRestarts(look: PodSummary, container: JsonObject): void {
  look.restarts += numberAt(container, 'restartCount');
  const ended = textAt(container, 'lastState.terminated.finishedAt');
  if (ended !== '' && (look.lastRestart === undefined || ended > look.lastRestart)) look.lastRestart = ended;
}

export const columns: ByResource<readonly Column[]> = {
  pods: podColumns,
};
