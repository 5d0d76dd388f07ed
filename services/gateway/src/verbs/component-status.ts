import { itemOf, runOf } from '@tidegate/collection';
import { isTypeless, type Kind } from '@tidegate/kinds';
import { toRevision } from '@tidegate/revision';
import type { JsonObject } from '@tidegate/schema';
import { notFound } from '@tidegate/status';
import { type ListWriting, writeConverted } from '../answer/write-list.ts';
import { objectAnswer } from '../codec/answer.ts';
import { storedForm } from '../codec/stored-form.ts';
import { listOptions } from '../reading/list-options.ts';
import type { VerbHandler, Verbs } from '../request/resource-request.ts';
import { selectionOf } from '../request/selection.ts';

/** The state of another part that this gateway needs. */
export interface Component {
  readonly name: string;
  /** why it does not work; undefined: it does */
  readonly trouble: string | undefined;
}

interface ComponentPorts {
  /** the other parts, as this gateway sees them */
  readonly components: () => readonly Component[];
  readonly listWriting: ListWriting;
}

/** The status is not stored; it is computed from the current state of this gateway. */
function statusOf({ name, trouble }: Component): JsonObject {
  const condition =
    trouble === undefined
      ? { type: 'Healthy', status: 'True', message: 'ok' }
      : { type: 'Healthy', status: 'False', error: trouble };
  return { kind: 'ComponentStatus', apiVersion: 'v1', metadata: { name }, conditions: [condition] };
}

function itemsOf({ components }: ComponentPorts, kind: Kind) {
  const common = { namespace: '', uid: '', deleting: false, revision: toRevision(0) };
  return components().map((one) =>
    itemOf({ ...common, name: one.name, ...storedForm(kind, statusOf(one)) }, isTypeless(kind)),
  );
}

const list =
  (ports: ComponentPorts): VerbHandler =>
  async (request, reply) => {
    listOptions(request.info);
    const selection = selectionOf(request.kind, request.info);
    const items = itemsOf(ports, request.kind).filter((item) => selection.matches(item));
    const page = { runs: [runOf(items, 0, items.length)], metadata: { resourceVersion: '' }, last: undefined };
    await writeConverted(ports.listWriting, request, reply, page);
    return undefined;
  };

const get =
  (ports: ComponentPorts): VerbHandler =>
  async (request) => {
    const item = itemsOf(ports, request.kind).find(({ name }) => name === request.info.name);
    if (item === undefined) throw notFound(request.kind.entry, request.info.name);
    return objectAnswer(request, 200, item.json);
  };

/** Only reading is supported. */
export const componentVerbs = (ports: ComponentPorts): Verbs => ({ get: get(ports), list: list(ports) });
