import { DEFINITIONS, type Definition, type Kind, kindsOf, type Registry, readDefinition } from '@tidegate/kinds';
import { type Revision, toRevision } from '@tidegate/revision';
import type { StoreSession } from '../clients/store-session.ts';
import type { Mirrors } from '../mirror/mirrors.ts';
import { type Changes, LiveView, type MirrorPort } from './live-view.ts';

interface CustomKindsPorts {
  readonly registry: Registry;
  readonly mirrors: MirrorPort & Pick<Mirrors, 'endWatchesOf'>;
  readonly store: Pick<StoreSession, 'head'>;
}

/** The kinds of one definition. */
interface Defined {
  /** the parts of the definition on which its kinds depend */
  readonly text: string;
  readonly kinds: readonly Kind[];
}

/**
 * Keeps the custom kinds of the registry in step with their definitions.
 *
 * Invariant: after `through(revision)` the registry has the kinds that are defined at that revision.
 */
export class CustomKinds {
  readonly resource = DEFINITIONS;
  readonly #ports: CustomKindsPorts;
  readonly #view: LiveView<Defined>;

  constructor(ports: CustomKindsPorts) {
    this.#ports = ports;
    this.#view = new LiveView({
      mirrors: ports.mirrors,
      resource: DEFINITIONS,
      make: (object, _place, before) => this.#make(readDefinition(object), before),
      changed: (changes) => this.#changed(changes),
      unknown: 'the definitions of custom resources are not loaded yet; retry shortly',
    });
  }

  start(): void {
    this.#view.start();
  }

  get areKnown(): boolean {
    return this.#view.isKnown;
  }

  /** Resolves when the definitions are loaded, in whichever state. */
  known(): Promise<void> {
    return this.#view.known();
  }

  /** Resolves when the registry has every kind that is defined now. */
  async latest(): Promise<void> {
    await this.through(toRevision(await this.#ports.store.head()));
  }

  through(revision: Revision): Promise<void> {
    return this.#view.through(revision);
  }

  #changed({ added, removed }: Changes<Defined>): void {
    if (added.length + removed.length === 0) return;
    this.#ports.registry.setCustom(this.#view.values.flatMap(({ kinds }) => kinds));
    // clients watch again, and see the objects as the definition shows them now
    for (const { name, made } of removed) if (made.kinds.length > 0) this.#ports.mirrors.endWatchesOf(name);
  }

  #make(definition: Definition, before: Defined | undefined): Defined {
    const text = dependedOn(definition);
    return before?.text === text ? before : { text, kinds: this.#kindsOf(definition) };
  }

  /** A definition that was stored under other rules and cannot be interpreted defines no kind, and affects no other one. */
  #kindsOf(definition: Definition): readonly Kind[] {
    const scale = this.#ports.registry.find('apps', 'v1', 'deployments')?.entry.subresources.scale?.entry;
    if (scale === undefined) throw new Error('no built-in kind has a scale subresource');
    try {
      return kindsOf(definition, scale);
    } catch (error) {
      if (error instanceof TypeError) return [];
      throw error;
    }
  }
}

/** The conditions matter only as far as they say whether the kind is served. */
function dependedOn({ conditions, ...definition }: Definition): string {
  const told = conditions.map(({ type, status }) => `${type}=${status}`).sort();
  return JSON.stringify({ ...definition, told });
}
