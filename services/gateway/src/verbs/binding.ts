import { metaOf, type Registry } from '@tidegate/kinds';
import { copyOf, isJsonObject, type JsonObject } from '@tidegate/schema';
import { ApiError, badRequest, conflict } from '@tidegate/status';
import type { Admission } from '../admission/admission.ts';
import { createdStatusAnswer } from '../codec/answer.ts';
import type { Answer, ResourceRequest, VerbHandler, Verbs } from '../request/resource-request.ts';
import { admitBody } from '../writing/admit-object.ts';
import type { WritePorts } from './create.ts';
import { asSubresource, namedBody, setCondition } from './subresources.ts';

interface BindingPorts extends WritePorts {
  readonly admission: Pick<Admission, 'admitCreation'>;
  readonly registry: Pick<Registry, 'find'>;
}

/** POST to pods/NAME/binding: assigns the pod to a node. */
const create =
  (ports: BindingPorts): VerbHandler =>
  async (request) => {
    const own = asSubresource(request);
    return bind(ports.writer, request, await ports.admission.admitCreation(own, readBinding(namedBody(own))));
  };

/** POST to bindings: the same for the pod that the body names. */
const createLegacy =
  (ports: BindingPorts): VerbHandler =>
  async (request) => {
    const binding = await ports.admission.admitCreation(request, readBinding(admitBody(request)));
    const { name = '' } = metaOf(binding);
    const kind = ports.registry.find('', 'v1', 'pods');
    if (kind === undefined || name === '') throw badRequest('a Binding must name its pod in metadata.name');
    const info = { ...request.info, resource: 'pods', subresource: 'binding', name };
    return bind(ports.writer, { ...request, kind, info }, binding);
  };

export const bindingVerbs = (ports: BindingPorts): Verbs => ({ create: create(ports) });
export const legacyBindingVerbs = (ports: BindingPorts): Verbs => ({ create: createLegacy(ports) });

function readBinding(binding: JsonObject): JsonObject {
  const target = isJsonObject(binding.target) ? binding.target : {};
  if (target.kind !== undefined && target.kind !== '' && target.kind !== 'Node') {
    const found = JSON.stringify(target.kind);
    throw new ApiError('', `target.kind: Unsupported value: ${found}: supported values: "Node", "<empty>"`);
  }
  if (!target.name) throw new ApiError('', 'target.name: Required value');
  return binding;
}

function bind(writer: BindingPorts['writer'], request: ResourceRequest, binding: JsonObject): Promise<Answer> {
  const { uid, resourceVersion, annotations, labels } = metaOf(binding);
  return writer.write(request, {
    operation: 'UPDATE',
    pinned: (resourceVersion ?? '') !== '',
    ownership: 'kept',
    isAdmitted: true,
    change: [
      (current) => {
        const pod = copyOf(current);
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
    answer: () => createdStatusAnswer(request),
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
