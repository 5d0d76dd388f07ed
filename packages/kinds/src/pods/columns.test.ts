import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@tidegate/schema';
import { podColumns } from './columns.ts';

/** Ready, Status and Restarts, as `kubectl get pods` shows them. */
function shown(pod: JsonObject): string {
  const cell = (name: string) => podColumns.find((column) => column.name === name)?.cell(pod);
  return `${cell('Ready')} ${cell('Status')} ${cell('Restarts')}`;
}

const running = { state: { running: {} }, ready: true, started: true };
const ended = (terminated: JsonObject, more: JsonObject = {}) => ({ state: { terminated }, ...more });
const waiting = (reason: string) => ({ state: { waiting: { reason } } });
const sidecar = { name: 'side', restartPolicy: 'Always' };

interface Look {
  readonly init?: JsonObject[];
  readonly spec?: JsonObject;
  readonly status: JsonObject;
  readonly metadata?: JsonObject;
}

function pod({ init = [], spec = {}, status, metadata = {} }: Look): JsonObject {
  return { metadata, spec: { containers: [{ name: 'a' }], initContainers: init, ...spec }, status };
}

test('the status of a pod comes from its phase, its reason, or its containers', () => {
  assert.equal(shown(pod({ status: { phase: 'Pending' } })), '0/1 Pending 0');
  assert.equal(shown(pod({ status: { phase: 'Failed', reason: 'Evicted' } })), '0/1 Evicted 0');
  assert.equal(shown(pod({ status: { phase: 'Running', containerStatuses: [running] } })), '1/1 Running 0');
  const crashing = { phase: 'Running', containerStatuses: [waiting('CrashLoopBackOff')] };
  assert.equal(shown(pod({ status: crashing })), '0/1 CrashLoopBackOff 0');
  for (const [terminated, word] of [
    [{ reason: 'Error', exitCode: 1 }, 'Error'],
    [{ signal: 9 }, 'Signal:9'],
    [{ exitCode: 3 }, 'ExitCode:3'],
  ] as const) {
    assert.equal(shown(pod({ status: { phase: 'Failed', containerStatuses: [ended(terminated)] } })), `0/1 ${word} 0`);
  }
});

test('a pod with finished and running containers is ready or not', () => {
  const containerStatuses = [ended({ reason: 'Completed' }), running];
  const of = (conditions: JsonObject[]) => shown(pod({ status: { phase: 'Running', containerStatuses, conditions } }));
  assert.equal(of([{ type: 'Ready', status: 'True' }]), '1/1 Running 0');
  assert.equal(of([]), '1/1 NotReady 0');
});

test('a gated pod and a deleting pod show that as status', () => {
  const conditions = [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' }];
  assert.equal(shown(pod({ status: { phase: 'Pending', conditions } })), '0/1 SchedulingGated 0');
  const metadata = { deletionTimestamp: '2026-01-01T00:00:00Z' };
  assert.equal(shown(pod({ metadata, status: { phase: 'Running' } })), '0/1 Terminating 0');
  assert.equal(shown(pod({ metadata, status: { phase: 'Running', reason: 'NodeLost' } })), '0/1 Unknown 0');
  assert.equal(shown(pod({ metadata, status: { phase: 'Succeeded' } })), '0/1 Succeeded 0');
});

test('the first unfinished init container decides the status', () => {
  const init = [{ name: 'one' }, { name: 'two' }];
  const done = ended({ exitCode: 0 }, { name: 'one' });
  const of = (second: JsonObject) =>
    shown(pod({ init, status: { phase: 'Pending', initContainerStatuses: [done, { name: 'two', ...second }] } }));
  assert.equal(of(running), '0/1 Init:1/2 0');
  assert.equal(of(waiting('PodInitializing')), '0/1 Init:1/2 0');
  assert.equal(of(waiting('ImagePullBackOff')), '0/1 Init:ImagePullBackOff 0');
  assert.equal(of(ended({ exitCode: 2 })), '0/1 Init:ExitCode:2 0');
  assert.equal(of(ended({ exitCode: 2, signal: 15 })), '0/1 Init:Signal:15 0');
  assert.equal(of(ended({ exitCode: 2, reason: 'Error' })), '0/1 Init:Error 0');
});

test('a sidecar counts among the containers once it has started', () => {
  const of = (side: JsonObject, containerStatuses: JsonObject[] = []) =>
    shown(
      pod({
        init: [sidecar],
        status: { phase: 'Running', initContainerStatuses: [{ name: 'side', ...side }], containerStatuses },
      }),
    );
  assert.equal(of({ ...running, ready: false, started: false }), '0/2 Init:0/1 0');
  assert.equal(of(running, [running]), '2/2 Running 0');
  assert.equal(of({ ...running, ready: false }, [running]), '1/2 Running 0');
});

test('restarts include those of sidecars, with the time of the last one', () => {
  const restarted = (name: string, restartCount: number, finishedAt: string) => ({
    ...running,
    name,
    restartCount,
    lastState: { terminated: { finishedAt } },
  });
  const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000 - 1000).toISOString();
  const status = {
    phase: 'Running',
    initContainerStatuses: [restarted('side', 2, ago(30))],
    containerStatuses: [restarted('a', 3, ago(10))],
  };
  assert.equal(shown(pod({ init: [sidecar], status })), '2/2 Running 5 (10m ago)');
});

test('wide columns show node, address and readiness gates, or <none>', () => {
  const cells = (object: JsonObject) => podColumns.slice(-4).map((column) => column.cell(object));
  assert.deepEqual(cells(pod({ status: {} })), ['<none>', '<none>', '<none>', '<none>']);
  const placed = pod({
    spec: { nodeName: 'n1', readinessGates: [{ conditionType: 'A' }, { conditionType: 'B' }] },
    status: { podIPs: [{ ip: '10.0.0.9' }], nominatedNodeName: 'n2', conditions: [{ type: 'A', status: 'True' }] },
  });
  assert.deepEqual(cells(placed), ['10.0.0.9', 'n1', 'n2', '1/2']);
});
