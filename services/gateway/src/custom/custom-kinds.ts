import { DEFINITIONS, type Definition, type Kind, kindsOf, type Registry, readDefinition } from '@tidegate/kinds';
import { type Revision, toRevision } from '@tidegate/revision';
import { parseOwnJson } from '@tidegate/schema';
import { serviceUnavailable } from '@tidegate/status';
import type { StoreSession } from '../clients/store-session.ts';
import type { Mirrors } from '../mirror/mirrors.ts';

interface CustomKindsOptions {
  readonly registry: Registry;
  readonly mirrors: Mirrors;
  readonly store: StoreSession;
}

/** What one definition has come to. */
interface Made {
  readonly revision: number;
  /** what its kinds depend on */
  readonly text: string;
  readonly kinds: readonly Kind[];
}

/** How long a request waits for the definitions to be known. */
const PATIENCE_MS = 10_000;

/**
 * Keeps the custom kinds of the registry in step with the mirror of their definitions.
 *
 * Invariant: whoever waits for a revision here finds the kinds in the registry that there are at that revision.
 */
export class CustomKinds {
  readonly #options: CustomKindsOptions;
  #made = new Map<string, Made>();
  #areKnown = false;

  constructor(options: CustomKindsOptions) {
    this.#options = options;
  }

  start(): void {
    this.#options.mirrors.keep(DEFINITIONS);
    this.#options.mirrors.follow(DEFINITIONS, () => this.#take());
  }

  /** The definitions were read, and their kinds are in the registry. */
  get areKnown(): boolean {
    return this.#areKnown;
  }

  /** Resolves when the definitions are known as they were some time. */
  async known(): Promise<void> {
    if (this.#options.mirrors.peek(DEFINITIONS) === undefined) await this.through(toRevision(0));
  }

  /** Resolves when they are known as they are now: what is not there then is not there. */
  async latest(): Promise<void> {
    await this.through(toRevision(await this.#options.store.head()));
  }

  async through(revision: Revision): Promise<void> {
    const collection = await this.#options.mirrors.collection(DEFINITIONS, revision, PATIENCE_MS);
    if (collection === undefined) throw serviceUnavailable('the definitions of custom resources are not known yet');
  }

  #take(): void {
    const collection = this.#options.mirrors.peek(DEFINITIONS);
    if (collection === undefined) return;
    const before = this.#made;
    const made = new Map<string, Made>();
    for (const { items, from, to } of collection.snapshot().runs('')) {
      for (const { name, revision, json } of items.slice(from, to)) {
        const known = before.get(name);
        made.set(name, known?.revision === revision ? known : this.#make(revision, json, known));
      }
    }
    this.#made = made;
    this.#areKnown = true;
    const changed = [...new Set([...before.keys(), ...made.keys()])].filter(
      (name) => before.get(name)?.kinds !== made.get(name)?.kinds,
    );
    if (changed.length === 0) return;
    this.#options.registry.setCustom([...made.values()].flatMap(({ kinds }) => kinds));
    // who watches comes back, and sees the objects as the kind says now
    for (const name of changed)
      if ((before.get(name)?.kinds ?? []).length > 0) this.#options.mirrors.endWatchesOf(name);
  }

  #make(revision: number, json: Buffer, known: Made | undefined): Made {
    const definition = readDefinition(parseOwnJson(json));
    const text = dependedOn(definition);
    if (known?.text === text) return { ...known, revision };
    return { revision, text, kinds: this.#kindsOf(definition) };
  }

  /** One that was written under other rules and cannot be made sense of defines nothing, and holds up no other. */
  #kindsOf(definition: Definition): readonly Kind[] {
    const scale = this.#options.registry.find('apps', 'v1', 'deployments')?.entry.subresources.scale?.entry;
    if (scale === undefined) throw new Error('nothing that is served has a scale');
    try {
      return kindsOf(definition, scale);
    } catch (error) {
      if (error instanceof TypeError) return [];
      throw error;
    }
  }
}

/** The conditions matter as far as they say whether the kind is served. */
function dependedOn({ conditions, ...definition }: Definition): string {
  const told = conditions.map(({ type, status }) => `${type}=${status}`).sort();
  return JSON.stringify({ ...definition, told });
}
