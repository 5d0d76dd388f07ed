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
  column('Ready', 'Ready containers and all containers', (pod) => {
    const { ready, total } = summaryOf(pod);
    return `${ready}/${total}`;
  }),
  column('Status', 'State of the pod, or the reason of a problem', (pod) => summaryOf(pod).status),
  column('Restarts', 'Number of restarts, and time since the last one', (pod) => {
    const { restarts, lastRestart } = summaryOf(pod);
    return restarts > 0 && lastRestart !== undefined ? `${restarts} (${ageOf(lastRestart)} ago)` : String(restarts);
  }),
  ageColumn,
  wide('IP', 'First IP address of the pod', (pod) => {
    const [first] = listAt(pod, 'status.podIPs');
    return first === undefined ? NONE : textAt(first, 'ip', NONE);
  }),
  wide('Node', 'Node of the pod', (pod) => textAt(pod, 'spec.nodeName', NONE)),
  wide('Nominated Node', 'Node on which other pods are preempted for the pod', (pod) =>
    textAt(pod, 'status.nominatedNodeName', NONE),
  ),
  wide('Readiness Gates', 'True readiness gates and all readiness gates', (pod) => {
    const gates = listAt(pod, 'spec.readinessGates');
    const open = gates.filter(({ conditionType }) => hasCondition(pod, String(conditionType)));
    return gates.length === 0 ? NONE : `${open.length}/${gates.length}`;
  }),
];

/** All cells of a row need the same summary of the pod, which is computed once. */
const summaries = new WeakMap<JsonObject, PodSummary>();

function summaryOf(pod: JsonObject): PodSummary {
  let summary = summaries.get(pod);
  if (summary === undefined) {
    summary = summarize(pod);
    summaries.set(pod, summary);
  }
  return summary;
}

function summarize(pod: JsonObject): PodSummary {
  const restartable = listAt(pod, 'spec.initContainers').filter(({ restartPolicy }) => restartPolicy === 'Always');
  const summary: PodSummary = {
    status: textAt(pod, 'status.reason') || textAt(pod, 'status.phase'),
    ready: 0,
    total: listAt(pod, 'spec.containers').length + restartable.length,
    restarts: 0,
    lastRestart: undefined,
  };
  if (listAt(pod, 'status.conditions').some(isGated)) summary.status = 'SchedulingGated';
  const sidecars = new Set(restartable.map(({ name }) => name));
  const initializing = summarizeInitContainers(pod, summary, sidecars);
  if (!initializing || hasCondition(pod, 'Initialized')) summarizeContainers(pod, summary, sidecars);
  if (valueAt(pod, 'metadata.deletionTimestamp') !== undefined) {
    if (textAt(pod, 'status.reason') === 'NodeLost') summary.status = 'Unknown';
    else if (!['Succeeded', 'Failed'].includes(textAt(pod, 'status.phase'))) summary.status = 'Terminating';
  }
  return summary;
}

function isGated({ type, reason }: JsonObject): boolean {
  return type === 'PodScheduled' && reason === 'SchedulingGated';
}

/** Init containers run one after another: the first unfinished one decides the status. */
function summarizeInitContainers(
  pod: JsonObject,
  summary: PodSummary,
  sidecars: ReadonlySet<Json | undefined>,
): boolean {
  const all = listAt(pod, 'spec.initContainers').length;
  for (const [i, container] of listAt(pod, 'status.initContainerStatuses').entries()) {
    countRestarts(summary, container);
    const terminated = valueAt(container, 'state.terminated') as JsonObject | undefined;
    const waiting = textAt(container, 'state.waiting.reason');
    if (terminated?.exitCode === 0) continue;
    if (sidecars.has(container.name) && container.started === true) {
      if (container.ready === true) summary.ready++;
      continue;
    }
    if (terminated !== undefined) summary.status = `Init:${endOf(terminated)}`;
    else if (waiting !== '' && waiting !== 'PodInitializing') summary.status = `Init:${waiting}`;
    else summary.status = `Init:${i}/${all}`;
    return true;
  }
  return false;
}

/** The first container that waits or has ended decides the status. */
function summarizeContainers(pod: JsonObject, summary: PodSummary, sidecars: ReadonlySet<Json | undefined>): void {
  summary.restarts = 0;
  summary.lastRestart = undefined;
  for (const container of listAt(pod, 'status.initContainerStatuses')) {
    if (sidecars.has(container.name)) countRestarts(summary, container);
  }
  let running = false;
  for (const container of listAt(pod, 'status.containerStatuses').reverse()) {
    countRestarts(summary, container);
    const waiting = textAt(container, 'state.waiting.reason');
    const terminated = valueAt(container, 'state.terminated') as JsonObject | undefined;
    if (waiting !== '') summary.status = waiting;
    else if (terminated !== undefined) summary.status = endOf(terminated);
    else if (container.ready === true && valueAt(container, 'state.running') !== undefined) {
      running = true;
      summary.ready++;
    }
  }
  if (summary.status === 'Completed' && running) summary.status = hasCondition(pod, 'Ready') ? 'Running' : 'NotReady';
}

function endOf(terminated: JsonObject): string {
  const { reason, signal } = terminated;
  if (reason) return String(reason);
  return signal ? `Signal:${String(signal)}` : `ExitCode:${numberAt(terminated, 'exitCode')}`;
}

function countRestarts(summary: PodSummary, container: JsonObject): void {
  summary.restarts += numberAt(container, 'restartCount');
  const ended = textAt(container, 'lastState.terminated.finishedAt');
  if (ended !== '' && (summary.lastRestart === undefined || ended > summary.lastRestart)) summary.lastRestart = ended;
}

export const columns: ByResource<readonly Column[]> = {
  pods: podColumns,
};
