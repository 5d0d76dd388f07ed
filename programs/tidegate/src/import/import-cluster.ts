import { setTimeout as sleep } from 'node:timers/promises';
import type { ClusterClient } from './cluster-client.ts';
import { discover, qualifiedName, type ServedResource } from './discover.ts';
import { Importer } from './importer.ts';
import { planImport, type Selection } from './plan.ts';
import { type JsonObject, metadataOf } from './portable.ts';
import { countObjects, readObjects } from './read-objects.ts';
import { Tally } from './tally.ts';

interface ImportOptions {
  readonly source: ClusterClient;
  readonly target: ClusterClient;
  readonly selection: Selection;
  readonly replace: boolean;
  readonly dryRun: boolean;
  readonly concurrency: number;
  /** the number of objects of a page */
  readonly chunkSize: number;
  /** called with a description of each step */
  readonly onStep?: (text: string) => void;
}

const DEFINITIONS = 'customresourcedefinitions.apiextensions.k8s.io';
/** the longest time until new definitions are served */
const ESTABLISHED_MS = 10_000;

/** Imports namespaces first, then definitions, then all other objects, and objects with owners at the end. */
export async function importCluster(options: ImportOptions): Promise<Tally> {
  const { source, target, selection, chunkSize, onStep = () => {} } = options;
  const tally = new Tally();
  const importer = new Importer({ ...options, tally });
  const served = await discover(source);
  let plan = planImport(served, await discover(target), selection);
  for (const name of plan.unknown) tally.note(`the source does not serve ${name}`);
  const done = new Set<string>();
  const importOne = async (resource: ServedResource): Promise<void> => {
    const name = qualifiedName(resource);
    done.add(name);
    tally.of(name);
    for (const namespace of placesOf(resource, selection)) {
      for await (const page of readObjects(source, resource, { namespace, limit: chunkSize })) {
        await importer.take(
          resource,
          page.filter((object) => isWanted(resource, object, selection)),
        );
        onStep(`importing ${name}: ${tally.objects} objects so far`);
      }
    }
  };
  const definitions = plan.common.find((resource) => qualifiedName(resource) === DEFINITIONS);
  for (const resource of plan.common.slice(0, definitions === undefined ? 0 : plan.common.indexOf(definitions) + 1)) {
    await importOne(resource);
  }
  if (definitions !== undefined && tally.of(DEFINITIONS).created > 0 && !options.dryRun) {
    onStep('waiting for the new kinds to be served');
    plan = await replanned(options, served, plan.foreign.length);
  }
  for (const resource of plan.common) if (!done.has(qualifiedName(resource))) await importOne(resource);
  onStep('importing objects with owners');
  await importer.finish();
  await reportForeign(options, plan.foreign, tally);
  return tally;
}

/** Plans again, because definitions are served a moment after their creation. */
async function replanned({ target, selection }: ImportOptions, served: ServedResource[], foreignBefore: number) {
  const end = Date.now() + ESTABLISHED_MS;
  for (;;) {
    const plan = planImport(served, await discover(target), selection);
    if (plan.foreign.length < foreignBefore || plan.foreign.length === 0 || Date.now() > end) return plan;
    await sleep(200);
  }
}

function placesOf(resource: ServedResource, { namespaces }: Selection): readonly string[] {
  return resource.namespaced && namespaces.length > 0 ? namespaces : [''];
}

function isWanted(resource: ServedResource, object: JsonObject, { namespaces }: Selection): boolean {
  if (qualifiedName(resource) !== 'namespaces' || namespaces.length === 0) return true;
  return namespaces.includes(String(metadataOf(object).name));
}

/** Counts and reports resources that the target does not serve; they are no failure. */
async function reportForeign({ source, selection }: ImportOptions, foreign: readonly ServedResource[], tally: Tally) {
  for (const resource of foreign) {
    let count = 0;
    for (const namespace of placesOf(resource, selection)) count += await countObjects(source, resource, namespace);
    if (count > 0) tally.note(`${qualifiedName(resource)}: ${count} objects, which the target does not serve`);
  }
}
