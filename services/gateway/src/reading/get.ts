import { isConverted } from '@tidegate/kinds';
import { parseResourceVersion } from '@tidegate/revision';
import { badRequest, notFound } from '@tidegate/status';
import { isAsStored, storedAnswer } from '../codec/answer.ts';
import type { RecentObjects, Stored } from '../codec/recent-objects.ts';
import type { Conversions } from '../conversion/conversions.ts';
import { isLargeJson, type LargeSteps } from '../limits/large-steps.ts';
import type { Mirrors } from '../mirror/mirrors.ts';
import type { Collections } from '../objects/collections.ts';
import { keyOf } from '../objects/objects.ts';
import { type Answer, inStep, type ResourceRequest, type VerbHandler } from '../request/resource-request.ts';
import { type CurrentObjects, storedOf } from './current-objects.ts';

interface GetPorts {
  readonly recent: RecentObjects;
  readonly currentObjects: Pick<CurrentObjects, 'get'>;
  readonly collections: Pick<Collections, 'reached' | 'atLeast'>;
  readonly mirrors: Pick<Mirrors, 'isTooLarge'>;
  readonly conversions: Pick<Conversions, 'read'>;
  readonly largeSteps: Pick<LargeSteps, 'of'>;
}

/** GET of one object: the current one; with resourceVersion=0 or another one from the mirror. */
export const get =
  (ports: GetPorts): VerbHandler =>
  async (request) => {
    const stored = await read(ports, request);
    const json = stored.json();
    // converting a large object to another form takes a step
    const steps = ports.largeSteps.of(!isAsStored(request) && isLargeJson(json));
    return inStep({ steps }, (): Answer => storedAnswer(ports.recent, request, 200, { ...stored, json: () => json }));
  };

async function read(ports: GetPorts, { kind, info }: ResourceRequest): Promise<Stored> {
  const current = () => ports.currentObjects.get(kind, info.namespace, info.name);
  const version = info.query.get('resourceVersion') ?? '';
  if (version === '') return current();
  const revision = parseResourceVersion(version);
  if (revision === undefined)
    throw badRequest(
      `invalid resource version: ${JSON.stringify(version)} is not a valid resourceVersion of this server`,
    );
  if (await ports.mirrors.isTooLarge(kind.storedAs)) {
    await ports.collections.reached(revision);
    return current();
  }
  const collection = await ports.collections.atLeast(kind, revision);
  const key = keyOf(kind, info.namespace, info.name);
  const item = collection.get(key.namespace, key.name);
  if (item === undefined && collection.isCorrupt(key)) return current();
  if (item === undefined) throw notFound(kind.entry, info.name);
  const [shown = item] = isConverted(kind) ? await ports.conversions.read(kind, [item]) : [item];
  return storedOf(kind, shown);
}
