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
interface DefinedKinds {
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
  readonly #view: LiveView<DefinedKinds>;

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

  /** Resolves when the definitions are loaded. */
  known(): Promise<void> {
    return this.#view.known();
  }

  /** Resolves when the registry has all kinds that are defined now. */
  async latest(): Promise<void> {
    await this.through(toRevision(await this.#ports.store.head()));
  }

  through(revision: Revision): Promise<void> {
    return this.#view.through(revision);
  }

  #changed({ added, removed }: Changes<DefinedKinds>): void {
    if (added.length + removed.length === 0) return;
    this.#ports.registry.setCustom(this.#view.values.flatMap(({ kinds }) => kinds));
    // clients watch again, and receive the objects in the new form
    for (const { name, made } of removed) if (made.kinds.length > 0) this.#ports.mirrors.endWatchesOf(name);
  }

  #make(definition: Definition, before: DefinedKinds | undefined): DefinedKinds {
    const text = relevantText(definition);
    return before?.text === text ? before : { text, kinds: this.#kindsOf(definition) };
  }

  /**
   * The kinds of a definition; none if it was stored by older rules and cannot be interpreted. Others are not affected.
   */
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

/** The parts that define kinds: of the conditions only type and status. */
function relevantText({ conditions, ...definition }: Definition): string {
  const statuses = conditions.map(({ type, status }) => `${type}=${status}`).sort();
  return JSON.stringify({ ...definition, statuses });
}
