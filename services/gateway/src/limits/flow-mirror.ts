import type { Collection } from '@tidegate/collection';
import { Classifier, type FlowObject } from '@tidegate/flow-control';
import { parseOwnJson } from '@tidegate/schema';
import type { Mirrors } from '../mirror/mirrors.ts';

const GROUP = 'flowcontrol.apiserver.k8s.io';
const KINDS = {
  [`prioritylevelconfigurations.${GROUP}`]: 'PriorityLevelConfiguration',
  [`flowschemas.${GROUP}`]: 'FlowSchema',
} as const;
export const FLOW_RESOURCES: readonly string[] = Object.keys(KINDS);

interface FlowMirrorOptions {
  readonly mirrors: Pick<Mirrors, 'keep' | 'follow' | 'peek'>;
  readonly changed: (classifier: Classifier) => void;
}

/**
 * Priority levels and flow schemas as the mirrors have them.
 *
 * Invariant: `classifier` says what both mirrors say, and the defaults until both are there. It is made anew when one of
 * the objects changes and not when only what is told of it does.
 */
export class FlowMirror {
  classifier = Classifier.ofDefaults();
  readonly #options: FlowMirrorOptions;
  readonly #objects = new Map<string, readonly FlowObject[]>();
  #said = '';

  constructor(options: FlowMirrorOptions) {
    this.#options = options;
  }

  start(): void {
    const { mirrors, changed } = this.#options;
    changed(this.classifier);
    for (const resource of FLOW_RESOURCES) {
      mirrors.keep(resource);
      mirrors.follow(resource, () => this.#take(resource));
    }
  }

  #take(resource: string): void {
    const collection = this.#options.mirrors.peek(resource);
    if (collection === undefined) return;
    this.#objects.set(resource, objectsOf(collection, KINDS[resource as keyof typeof KINDS]));
    if (this.#objects.size < FLOW_RESOURCES.length) return;
    const objects = [...this.#objects.values()].flat();
    // at the very beginning of a cluster nobody has made them yet
    if (objects.length === 0) return;
    const says = JSON.stringify(objects);
    if (says === this.#said) return;
    this.#said = says;
    this.classifier = new Classifier(objects);
    this.#options.changed(this.classifier);
  }
}

function objectsOf(collection: Collection, kind: FlowObject['kind']): FlowObject[] {
  const objects: FlowObject[] = [];
  for (const { items, from, to } of collection.snapshot().runs('')) {
    for (const { name, json } of items.slice(from, to)) {
      const { metadata, spec } = parseOwnJson(json) as { metadata?: { uid?: string }; spec?: object };
      if (spec !== undefined) objects.push({ kind, name, uid: metadata?.uid ?? '', spec } as FlowObject);
    }
  }
  return objects;
}
