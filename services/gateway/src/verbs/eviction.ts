import { metaOf, type Propagation } from '@tidegate/kinds';
import { Query } from '@tidegate/request-info';
import { copyOf, isJsonObject, type JsonObject, parseOwnJson } from '@tidegate/schema';
import { ApiError, badRequest, conflict } from '@tidegate/status';
import type { Admission } from '../admission/admission.ts';
import { createdStatusAnswer } from '../codec/answer.ts';
import { type Objects, parseCurrent } from '../objects/objects.ts';
import type { ResourceRequest, VerbHandler, Verbs } from '../request/resource-request.ts';
import { isDryRun } from '../request/write-options.ts';
import { deletion } from '../writing/deletion.ts';
import { budgetsOf, cannotEvict, type DisruptionPorts, mayIgnoreBudget, takeDisruption } from './disruption.ts';
import { asSubresource, namedBody, setCondition } from './subresources.ts';

interface EvictionPorts extends DisruptionPorts {
  readonly objects: Pick<Objects, 'get'>;
  readonly admission: Pick<Admission, 'admitCreation'>;
}

interface Eviction {
  readonly request: ResourceRequest;
  readonly uid: string | undefined;
  /** the version of the pod that the client expects */
  readonly resourceVersion: string | undefined;
  readonly graceSeconds: number | undefined;
  readonly propagation: Propagation | undefined;
  readonly dryRun: boolean;
}

const ATTEMPTS = 20;

/**
 * POST to pods/NAME/eviction: a deletion that respects the pod's disruption budget. The disruption is committed to the
 * budget before the pod is deleted, so concurrent evictions cannot exceed the budget.
 */
const create =
  (ports: EvictionPorts): VerbHandler =>
  async (request) => {
    const eviction = await readEviction(ports, request);
    for (let attempt = 1; ; attempt++) {
      try {
        await evict(ports, eviction);
        return createdStatusAnswer(request);
      } catch (error) {
        const isConflict = error instanceof ApiError && error.reason === 'Conflict';
        // the pod changed concurrently, and the client did not request a certain version
        if (!isConflict || eviction.resourceVersion !== undefined || eviction.uid !== undefined || attempt === ATTEMPTS)
          throw error;
      }
    }
  };

export const evictionVerbs = (ports: EvictionPorts): Verbs => ({ create: create(ports) });

async function readEviction(ports: EvictionPorts, request: ResourceRequest): Promise<Eviction> {
  const own = asSubresource(request);
  const object = await ports.admission.admitCreation(own, namedBody(own));
  const options = isJsonObject(object.deleteOptions) ? object.deleteOptions : {};
  const inBody = Array.isArray(options.dryRun) ? options.dryRun.map(String) : [];
  const inQuery = request.info.query.all('dryRun');
  if (inBody.length > 0 && inQuery.length > 0 && inBody.join() !== inQuery.join()) {
    throw badRequest(
      `Non-matching dry-run options in request and content: [${inQuery.join(' ')}] and [${inBody.join(' ')}]`,
    );
  }
  const dryRun = isDryRun(request, inBody);
  const preconditions = isJsonObject(options.preconditions) ? options.preconditions : {};
  const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);
  const info = { ...request.info, query: new Query(dryRun ? 'dryRun=All' : '') };
  return {
    request: { ...request, info },
    uid: text(preconditions.uid),
    resourceVersion: text(preconditions.resourceVersion),
    graceSeconds: typeof options.gracePeriodSeconds === 'number' ? options.gracePeriodSeconds : undefined,
    propagation: text(options.propagationPolicy) as Eviction['propagation'],
    dryRun,
  };
}

async function evict(ports: EvictionPorts, eviction: Eviction): Promise<void> {
  const { request } = eviction;
  const pod = parseCurrent(await ports.objects.get(request.kind, request.info.namespace, request.info.name));
  refuseOther(eviction, pod);
  const { resourceVersion = '', deletionTimestamp } = metaOf(pod);
  if (mayIgnoreBudget(pod)) {
    const { phase } = (pod.status ?? {}) as JsonObject;
    const final = phase === 'Succeeded' || phase === 'Failed' || deletionTimestamp !== undefined;
    return remove(ports, eviction, final ? eviction.resourceVersion : resourceVersion);
  }
  const [budget, ...more] = await budgetsOf(ports, request, pod);
  if (more.length > 0) {
    throw new ApiError(
      '',
      'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    );
  }
  if (budget === undefined) return remove(ports, eviction, eviction.resourceVersion);
  const taken = await takeDisruption(ports, request, { budget, pod });
  if (taken) return remove(ports, eviction, eviction.resourceVersion);
  // an unhealthy pod does not count, but only while it stays unhealthy: so its version is pinned
  try {
    await remove(ports, eviction, resourceVersion);
  } catch (error) {
    const hasChanged =
      error instanceof ApiError && error.reason === 'Conflict' && eviction.resourceVersion === undefined;
    throw hasChanged
      ? cannotEvict(`The disruption budget ${budget} is still being processed by the server.`, 10)
      : error;
  }
}

function refuseOther({ request, uid, resourceVersion }: Eviction, pod: JsonObject): void {
  const found = metaOf(pod);
  const refuse = (what: string, wanted: string, actual: string, meaning: string) =>
    conflict(
      { group: '', resource: 'Pod' },
      request.info.name,
      `the ${what} in the precondition (${wanted}) does not match the ${what} in record (${actual}). The object might have been ${meaning}`,
    );
  if (uid !== undefined && uid !== found.uid) throw refuse('UID', uid, found.uid ?? '', 'deleted and then recreated');
  if (resourceVersion !== undefined && resourceVersion !== found.resourceVersion) {
    throw refuse('ResourceVersion', resourceVersion, found.resourceVersion ?? '', 'modified');
  }
}

/** Records the reason in the pod's status, and deletes the pod. */
async function remove(ports: EvictionPorts, eviction: Eviction, resourceVersion: string | undefined): Promise<void> {
  const { request, uid, graceSeconds, propagation, dryRun } = eviction;
  let version = resourceVersion;
  if (!dryRun) {
    const marked = { ...request, info: { ...request.info, subresource: 'status', verb: 'update' } };
    await ports.writer.write(marked, {
      operation: 'UPDATE',
      pinned: resourceVersion !== undefined,
      ownership: 'kept',
      isAdmitted: true,
      change: [
        (current) => {
          const pod = copyOf(current);
          if (resourceVersion === undefined) delete metaOf(pod).resourceVersion;
          else metaOf(pod).resourceVersion = resourceVersion;
          if (uid !== undefined) metaOf(pod).uid = uid;
          setCondition(pod, {
            type: 'DisruptionTarget',
            status: 'True',
            lastProbeTime: null,
            reason: 'EvictionByEvictionAPI',
            message: 'Eviction API: evicting',
          });
          return pod;
        },
      ],
      answer: ({ code, json }) => {
        if (version !== undefined) version = metaOf(parseOwnJson(json)).resourceVersion;
        return { code, body: json };
      },
    });
  }
  const info = { ...request.info, subresource: '', verb: 'delete' };
  const rest = { orphanDependents: undefined, ignoreReadErrors: false, isAdmitted: true as const };
  const options = { dryRun, uid, resourceVersion: version, graceSeconds, propagation, ...rest };
  const removal = { ...request, info };
  await ports.writer.write(removal, deletion(removal, options));
}
