import { metaOf } from '@tidegate/kinds';
import { isJsonObject, type JsonObject } from '@tidegate/schema';
import { ApiError, badRequest, conflict } from '@tidegate/status';
import { doneAnswer } from '../codec/answer.ts';
import type { Gateway, VerbHandler } from '../gateway.ts';
import type { Answer, ResourceRequest } from '../request/resource-request.ts';
import { admitBody } from '../writing/admit-object.ts';
import { asSubresource, namedBody } from './as-subresource.ts';
import { setCondition } from './conditions.ts';

/** POST to pods/NAME/binding: from now on the pod is a node's. */
const create: VerbHandler = async (gateway, request) => {
  const own = asSubresource(request);
  return bind(gateway, request, await gateway.admission.admitCreation(own, readBinding(namedBody(own))));
};

/** POST to bindings, which says the same of the pod that the body names. */
const createOld: VerbHandler = async (gateway, request) => {
  const binding = await gateway.admission.admitCreation(request, readBinding(admitBody(request)));
  const { name = '' } = metaOf(binding);
  const kind = gateway.registry.find('', 'v1', 'pods');
  if (kind === undefined || name === '') throw badRequest('a Binding names its pod in metadata.name');
  const info = { ...request.info, resource: 'pods', subresource: 'binding', name };
  return bind(gateway, { ...request, kind, info }, binding);
};

export const bindingVerbs: Readonly<Record<string, VerbHandler>> = { create };
export const oldBindingVerbs: Readonly<Record<string, VerbHandler>> = { create: createOld };

function readBinding(binding: JsonObject): JsonObject {
  const target = isJsonObject(binding.target) ? binding.target : {};
  if (target.kind !== undefined && target.kind !== '' && target.kind !== 'Node') {
    const found = JSON.stringify(target.kind);
    throw new ApiError('', `target.kind: Unsupported value: ${found}: supported values: "Node", "<empty>"`);
  }
  if (!target.name) throw new ApiError('', 'target.name: Required value');
  return binding;
}

function bind(gateway: Gateway, request: ResourceRequest, binding: JsonObject): Promise<Answer> {
  const { uid, resourceVersion, annotations, labels } = metaOf(binding);
  return gateway.writer.write(request, {
    operation: 'UPDATE',
    pinned: (resourceVersion ?? '') !== '',
    ownership: 'kept',
    isAdmitted: true,
    change: [
      (current) => {
        const pod = structuredClone(current);
        const meta = metaOf(pod);
        if (uid) meta.uid = uid;
        if (resourceVersion) meta.resourceVersion = resourceVersion;
        else delete meta.resourceVersion;
        assign(pod, String((binding.target as JsonObject).name));
        if (annotations !== undefined) meta.annotations = { ...meta.annotations, ...annotations };
        if (labels !== undefined) meta.labels = { ...meta.labels, ...labels };
        return pod;
      },
    ],
    answer: () => doneAnswer(request),
  });
}

function assign(pod: JsonObject, node: string): void {
  const { name = '', deletionTimestamp } = metaOf(pod);
  const refuse = (why: string) => conflict({ group: '', resource: 'pods/binding' }, name, `pod ${name} ${why}`);
  const spec = (pod.spec ?? {}) as JsonObject;
  if (deletionTimestamp !== undefined) throw refuse('is being deleted, cannot be assigned to a host');
  if (spec.nodeName) throw refuse(`is already assigned to node ${JSON.stringify(spec.nodeName)}`);
  if (Array.isArray(spec.schedulingGates) && spec.schedulingGates.length > 0) {
    throw refuse('has non-empty .spec.schedulingGates');
  }
  pod.spec = { ...spec, nodeName: node };
  if (isJsonObject(pod.status)) delete pod.status.nominatedNodeName;
  setCondition(pod, { type: 'PodScheduled', status: 'True', lastProbeTime: null });
}
