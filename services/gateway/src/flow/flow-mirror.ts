import { Classifier, type FlowObject } from '@tidegate/flow-control';
import type { JsonObject } from '@tidegate/schema';
import { LiveView, type MirrorPort, type Place } from '../live/live-view.ts';

const GROUP = 'flowcontrol.apiserver.k8s.io';
const KINDS = {
  [`prioritylevelconfigurations.${GROUP}`]: 'PriorityLevelConfiguration',
  [`flowschemas.${GROUP}`]: 'FlowSchema',
} as const;
export const FLOW_RESOURCES: readonly string[] = Object.keys(KINDS);

interface FlowMirrorOptions {
  readonly mirrors: MirrorPort;
  readonly changed: (classifier: Classifier) => void;
}

/**
 * The priority levels and flow schemas of the mirrors.
 *
 * Invariant: `classifier` is built from both collections, and from the defaults until both are loaded. It is rebuilt
 * when the spec of an object changes, but not when only a status does.
 */
export class FlowMirror {
  classifier = Classifier.ofDefaults();
  readonly #changed: FlowMirrorOptions['changed'];
  readonly #views: ReadonlyArray<LiveView<FlowObject | undefined>>;
  #said = '';

  constructor({ mirrors, changed }: FlowMirrorOptions) {
    this.#changed = changed;
    this.#views = Object.entries(KINDS).map(
      ([resource, kind]) =>
        new LiveView({
          mirrors,
          resource,
          make: (object, place) => flowObject(kind, object, place),
          changed: () => this.#update(),
          unknown: 'the priority levels and flow schemas are not loaded yet; retry shortly',
        }),
    );
  }

  start(): void {
    this.#changed(this.classifier);
    for (const view of this.#views) view.start();
  }

  #update(): void {
    if (!this.#views.every(({ isKnown }) => isKnown)) return;
    const objects = this.#views.flatMap(({ values }) => values.filter((one) => one !== undefined));
    // a new cluster has no objects yet
    if (objects.length === 0) return;
    const says = JSON.stringify(objects);
    if (says === this.#said) return;
    this.#said = says;
    this.classifier = new Classifier(objects);
    this.#changed(this.classifier);
  }
}

function flowObject(kind: FlowObject['kind'], object: JsonObject, { name }: Place): FlowObject | undefined {
  const { metadata, spec } = object as { metadata?: { uid?: string }; spec?: object };
  return spec === undefined ? undefined : ({ kind, name, uid: metadata?.uid ?? '', spec } as FlowObject);
}
