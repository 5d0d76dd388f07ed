import { setTimeout as sleep } from 'node:timers/promises';
import { UserError } from '@tidegate/local';
import { ask } from '../processes/readyz.ts';
import type { PartSpec } from './parts.ts';

const LIMIT_MS = 120_000;
/** after this time the launcher prints what it waits for */
const REPORT_AFTER_MS = 15_000;
const PAUSE_MS = 40;
/** the last of the cluster roles and bindings that a controller creates in a new system */
const LAST_BINDING = '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/system:volume-scheduler';

/** A system that is starting. */
interface Starting {
  readonly server: string;
  readonly caPem: string;
  readonly token: string;
  readonly parts: readonly PartSpec[];
  /** the directory of the logs, for the error */
  readonly logs: string;
  /** prints a line */
  readonly report: (text: string) => void;
}

/** Waits until the gateways serve and the first objects exist. Returns early when `over` is aborted. */
export async function untilReady(starting: Starting, over: AbortSignal): Promise<void> {
  const { parts, logs, report } = starting;
  const end = Date.now() + LIMIT_MS;
  const reminder = setTimeout(async () => report(await whyNotReady(parts)), REPORT_AFTER_MS);
  over.addEventListener('abort', () => clearTimeout(reminder), { once: true });
  for (const isTrue of conditions(starting)) {
    while (!over.aborted && !(await isTrue())) {
      if (Date.now() > end) {
        throw new UserError(`${await whyNotReady(parts)} after ${LIMIT_MS / 1000} s: see the logs in ${logs}`);
      }
      // an AbortError: the loop checks the signal
      await sleep(PAUSE_MS, undefined, { signal: over }).catch(() => {});
    }
  }
  clearTimeout(reminder);
}

/** The conditions of readiness: the gateways serve, and the namespace `default` and the roles exist. */
function conditions({ server, token, caPem, parts }: Starting): Array<() => Promise<boolean>> {
  const gateways = parts.filter((spec) => spec.part === 'gateway');
  const probes = [
    async () => ask(`${server}/readyz`, { caPem, token }),
    ...gateways.map((spec) => async () => ask(`http://${spec.opsAddress}/readyz`)),
  ];
  const objects = ['/api/v1/namespaces/default', LAST_BINDING].map(
    (path) => async () => ask(server + path, { caPem, token }),
  );
  return [
    ...probes.map((probe) => async () => (await probe())?.status === 200),
    // an object that exists may not be readable
    ...objects.map((object) => async () => ((await object())?.status ?? 404) !== 404),
  ];
}

async function whyNotReady(parts: readonly PartSpec[]): Promise<string> {
  const answers = parts.map(async (spec) => {
    const answer = await ask(`http://${spec.opsAddress}/readyz`);
    return answer?.status === 200 ? [] : [`${spec.name}: ${answer?.body.trim() ?? 'no answer'}`];
  });
  return `still not ready (${(await Promise.all(answers)).flat().join('; ')})`;
}
