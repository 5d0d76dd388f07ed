import { jsonPath, type Kind, labelsText, metaOf, type ScalePaths, selectorText } from '@tidegate/kinds';
import { copyOf, isJsonObject, type Json, type JsonObject, parseOwnJson, setOwn } from '@tidegate/schema';
import { internalError } from '@tidegate/status';
import { objectAnswer } from '../codec/answer.ts';
import { isApplied } from '../codec/media-types.ts';
import { currentJson, type Objects } from '../objects/objects.ts';
import { versionsOf } from '../ownership/kind-versions.ts';
import type { Answer, ResourceRequest, VerbHandler, Verbs } from '../request/resource-request.ts';
import { admitBody, admitObject } from '../writing/admit-object.ts';
import type { View, Write } from '../writing/write.ts';
import { type ApplyPorts, applying, readConfiguration } from './apply.ts';
import { readPatch } from './patch.ts';
import { asSubresource } from './subresources.ts';

interface ScalePorts extends ApplyPorts {
  readonly objects: Pick<Objects, 'get'>;
}

/** The Scale of an object: the same form for all kinds that have replicas. */
const get =
  ({ objects }: ScalePorts): VerbHandler =>
  async (request) => {
    const { kind, info } = request;
    return show(request, 200, currentJson(await objects.get(kind, info.namespace, info.name)));
  };

const update =
  ({ writer }: ScalePorts): VerbHandler =>
  async (request) => {
    const scale = asSubresource(request);
    const wanted = admitBody(scale);
    const pinned = (metaOf(wanted).resourceVersion ?? '') !== '';
    return writer.write(
      request,
      changeTo(request, () => wanted, pinned),
    );
  };

const patch =
  ({ writer, registry }: ScalePorts): VerbHandler =>
  async (request) => {
    const scale = asSubresource(request);
    if (isApplied(request.contentType)) return applyScale({ writer, registry }, request, scale);
    const { apply, pinned } = readPatch(scale);
    const wanted = (object: JsonObject) =>
      admitObject(scale, apply(scaleOf(scale.kind, object, request.kind.entry.custom?.scale)));
    return writer.write(request, changeTo(request, wanted, pinned));
  };

/** An apply of a Scale owns the replicas field of the object. */
function applyScale(
  { writer, registry }: ApplyPorts,
  request: ResourceRequest,
  scale: ResourceRequest,
): Promise<Answer> {
  const { kind } = request;
  const configuration = readConfiguration(registry, scale);
  const replicas = isJsonObject(configuration.applied.spec) ? configuration.applied.spec.replicas : undefined;
  const applied: JsonObject = {
    ...configuration.applied,
    kind: kind.entry.kind,
    apiVersion: kind.apiVersion,
  };
  delete applied.status;
  delete applied.spec;
  if (replicas !== undefined) setReplicas(applied, replicas, kind.entry.custom?.scale);
  else applied.spec = {};
  const versions = versionsOf(registry, request);
  return writer.write(request, {
    ...applying(request, { ...configuration, versions, applied }),
    ...shownAsScale(request),
  });
}

export const scaleVerbs = (ports: ScalePorts): Verbs => ({
  get: get(ports),
  update: update(ports),
  patch: patch(ports),
});

/** Changes only the replicas, and checks the resourceVersion and uid that the client expects. */
function changeTo(request: ResourceRequest, wanted: (object: JsonObject) => JsonObject, pinned: boolean): Write {
  return {
    operation: 'UPDATE',
    pinned,
    change: [
      (current) => {
        const scale = wanted(current);
        const object = copyOf(current);
        const meta = metaOf(object);
        const { uid, resourceVersion } = metaOf(scale);
        if (uid) meta.uid = uid;
        if (resourceVersion) meta.resourceVersion = resourceVersion;
        else delete meta.resourceVersion;
        const replicas = isJsonObject(scale.spec) ? (scale.spec.replicas ?? 0) : 0;
        setReplicas(object, replicas, request.kind.entry.custom?.scale);
        return object;
      },
    ],
    ...shownAsScale(request),
  };
}

/** Clients and webhooks see the Scale, not the object. */
function shownAsScale(request: ResourceRequest): Pick<Write, 'answer' | 'view'> {
  const { kind } = asSubresource(request);
  const paths = request.kind.entry.custom?.scale;
  const view: View = {
    kind,
    of: (object) => scaleOf(kind, object, paths),
    take: (object, scale) => {
      setReplicas(object, isJsonObject(scale.spec) ? (scale.spec.replicas ?? 0) : 0, paths);
      return object;
    },
  };
  return { answer: ({ code, json }) => show(request, code, json), view };
}

/** Sets the replicas: at the path of the definition for a custom kind, else at .spec.replicas. */
function setReplicas(object: JsonObject, replicas: Json, custom?: ScalePaths): void {
  const steps = (custom?.specReplicasPath ?? '.spec.replicas').split('.').slice(1);
  let holder = object;
  for (const step of steps.slice(0, -1)) {
    const inner = holder[step];
    const next = isJsonObject(inner) ? inner : {};
    setOwn(holder, step, next);
    holder = next;
  }
  setOwn(holder, steps.at(-1) ?? '', replicas);
}

function customScale(scale: Pick<Kind, 'entry' | 'apiVersion'>, object: JsonObject, paths: ScalePaths): JsonObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata as JsonObject;
  const at = (path = ''): Json | undefined => (path === '' ? undefined : jsonPath(path)?.(object)[0]);
  const replicas = at(paths.specReplicasPath);
  if (replicas === undefined) {
    throw internalError(`the spec replicas field ${JSON.stringify(paths.specReplicasPath)} does not exist`);
  }
  const selector = at(paths.labelSelectorPath);
  const metadata = { name, ...(namespace === undefined ? {} : { namespace }), uid, resourceVersion, creationTimestamp };
  return {
    kind: scale.entry.kind,
    apiVersion: scale.apiVersion,
    metadata: metadata as JsonObject,
    spec: replicas === 0 ? {} : { replicas },
    status: {
      replicas: at(paths.statusReplicasPath) ?? 0,
      ...(typeof selector === 'string' && selector !== '' ? { selector } : {}),
    },
  };
}

function show(request: ResourceRequest, code: number, json: Buffer): Answer {
  const scale = asSubresource(request);
  const object = parseOwnJson(json);
  const shown = scaleOf(scale.kind, object, request.kind.entry.custom?.scale);
  return objectAnswer(scale, code, Buffer.from(JSON.stringify(shown)));
}

function scaleOf({ entry, apiVersion }: Kind, object: JsonObject, custom?: ScalePaths): JsonObject {
  if (custom !== undefined) return customScale({ entry, apiVersion }, object, custom);
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata as JsonObject;
  const spec = (object.spec ?? {}) as JsonObject;
  const status = (object.status ?? {}) as JsonObject;
  const selector = selectorOf(spec);
  return {
    kind: entry.kind,
    apiVersion,
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp } as JsonObject,
    spec: spec.replicas === undefined ? {} : { replicas: spec.replicas },
    status: { replicas: status.replicas ?? 0, ...(selector === '' ? {} : { selector }) },
  };
}

/** As a label selector, for example `app=web,tier in (a,b),!old`. Older kinds have a plain map of labels. */
function selectorOf(spec: JsonObject): string {
  const { selector } = spec;
  if (!isJsonObject(selector) || Object.keys(selector).length === 0) return '';
  const structured = 'matchLabels' in selector || 'matchExpressions' in selector;
  return structured ? selectorText(selector) : labelsText(selector);
}
