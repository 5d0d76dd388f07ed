import { type ClusterClient, messageOf } from './cluster-client.ts';
import { collectionPath, qualifiedName, type ServedResource } from './discover.ts';
import { type JsonObject, metadataOf, ownersOf, portable } from './portable.ts';
import type { Tally } from './tally.ts';

interface ImporterOptions {
  readonly target: ClusterClient;
  readonly tally: Tally;
  /** existing objects are replaced by those of the source */
  readonly replace: boolean;
  /** nothing is written */
  readonly dryRun: boolean;
  readonly concurrency: number;
}

interface Waiting {
  readonly resource: ServedResource;
  readonly object: JsonObject;
}

/**
 * Writes objects of one cluster into another.
 *
 * Invariant: an object is written after its owners, with their new uids. Therefore objects with owners wait in memory
 * until all others are written. An owner that is not imported is left out of the object, and reported.
 */
export class Importer {
  readonly #options: ImporterOptions;
  /** by the uid in the source */
  readonly #newUids = new Map<string, string>();
  #waiting: Waiting[] = [];

  constructor(options: ImporterOptions) {
    this.#options = options;
  }

  async take(resource: ServedResource, objects: readonly JsonObject[]): Promise<void> {
    const free: Waiting[] = [];
    for (const object of objects) {
      const place = ownersOf(object).length === 0 ? free : this.#waiting;
      place.push({ resource, object });
    }
    await this.#writeAll(free);
  }

  /** Writes the waiting objects: always those whose owners are written, and at the end the rest. */
  async finish(): Promise<void> {
    for (;;) {
      const coming = new Set(this.#waiting.map(({ object }) => metadataOf(object).uid));
      const isReady = ({ object }: Waiting): boolean => !ownersOf(object).some((owner) => coming.has(owner.uid));
      const ready = this.#waiting.filter(isReady);
      // objects that own each other in a circle are written at the end, too
      const next = ready.length > 0 ? ready : this.#waiting;
      this.#waiting = ready.length > 0 ? this.#waiting.filter((waiting) => !isReady(waiting)) : [];
      if (next.length === 0) return;
      for (const waiting of next) this.#reportLostOwners(waiting);
      await this.#writeAll(next);
    }
  }

  #reportLostOwners({ resource, object }: Waiting): void {
    for (const owner of ownersOf(object)) {
      if (this.#newUids.has(owner.uid)) continue;
      this.#options.tally.note(
        `${nameOf(resource, object)} loses its owner ${owner.kind} ${owner.name}, which is not imported`,
      );
    }
  }

  async #writeAll(all: readonly Waiting[]): Promise<void> {
    let next = 0;
    const work = async (): Promise<void> => {
      for (let one = all[next++]; one !== undefined; one = all[next++]) await this.#write(one);
    };
    await Promise.all(Array.from({ length: this.#options.concurrency }, work));
  }

  async #write({ resource, object }: Waiting): Promise<void> {
    const { target, tally, replace, dryRun } = this.#options;
    const name = qualifiedName(resource);
    const metadata = metadataOf(object);
    if (metadata.deletionTimestamp !== undefined) {
      tally.count(name, 'left out');
      return;
    }
    const collection = collectionPath(resource, resource.namespaced ? String(metadata.namespace) : '');
    const path = `${collection}/${encodeURIComponent(String(metadata.name))}`;
    const wanted = portable(object, this.#newUids);
    if (!dryRun) {
      const { code, body } = await target.ask('POST', collection, wanted);
      if (code === 201 || code === 202 || code === 200) {
        this.#remember(object, body);
        tally.count(name, 'created');
        return;
      }
      if (code !== 409) return this.#fail(resource, object, body);
    }
    const present = await target.ask('GET', path);
    if (present.code === 404 && dryRun) {
      this.#remember(object, object);
      tally.count(name, 'created');
      return;
    }
    if (present.code !== 200) return this.#fail(resource, object, present.body);
    this.#remember(object, present.body);
    if (!replace) {
      tally.count(name, 'existed');
      return;
    }
    if (!dryRun) {
      const { resourceVersion, uid } = metadataOf(present.body);
      const update = { ...wanted, metadata: { ...metadataOf(wanted), resourceVersion, uid } };
      const { code, body } = await target.ask('PUT', path, update);
      if (code !== 200) return this.#fail(resource, object, body);
    }
    tally.count(name, 'updated');
  }

  #remember(object: JsonObject, written: JsonObject): void {
    this.#newUids.set(String(metadataOf(object).uid), String(metadataOf(written).uid));
  }

  #fail(resource: ServedResource, object: JsonObject, answer: JsonObject): void {
    this.#options.tally.count(qualifiedName(resource), 'failed');
    this.#options.tally.note(`${nameOf(resource, object)} failed: ${messageOf(answer)}`);
  }
}

function nameOf(resource: ServedResource, object: JsonObject): string {
  const { namespace, name } = metadataOf(object);
  return [qualifiedName(resource), namespace, name].filter((part) => part !== undefined).join('/');
}
