import type { Item } from '@tidegate/collection';
import type { Kind } from '@tidegate/kinds';
import type { RequestInfo } from '@tidegate/request-info';
import { parseOwnJson } from '@tidegate/schema';
import { type FieldSelector, type LabelSelector, parseFieldSelector, parseLabelSelector } from '@tidegate/selectors';
import { badRequest } from '@tidegate/status';

/** The objects of a collection that a request selects. */
export interface Selection {
  /** no selector and no namespace: all objects */
  readonly everything: boolean;
  /** a label or field selector, or a name, excludes objects */
  readonly selective: boolean;
  readonly namespace: string;
  matches(item: Item): boolean;
  /** whether it can ever match, decided only by name and namespace, which never change */
  isAbout(item: Item): boolean;
}

const COMMON_FIELDS = new Set(['metadata.name', 'metadata.namespace']);

/** The selection of a list, watch or deletecollection; a watch of one object selects by its name. */
export function selectionOf(kind: Kind, info: RequestInfo): Selection {
  const namespace = kind.entry.namespaced ? info.namespace : '';
  const { selectableFields = {}, selectableAs = {} } = kind.entry;
  const supported = (field: string) =>
    COMMON_FIELDS.has(field) || Object.hasOwn(selectableFields, field) || Object.hasOwn(selectableAs, field);
  const labels = parseLabelSelector(info.query.get('labelSelector') ?? '');
  const fields = parseFieldSelector(info.query.get('fieldSelector') ?? '', supported);
  refuseOtherName(fields, info.name);
  const read = readerOf(kind);
  const selective = labels !== undefined || fields !== undefined || info.name !== '';
  return {
    everything: !selective && namespace === '',
    selective,
    namespace,
    matches: (item) =>
      (namespace === '' || item.namespace === namespace) &&
      (info.name === '' || item.name === info.name) &&
      selects({ labels, fields, storedName: (field) => selectableAs[field] ?? field, read }, item),
    isAbout: (item) =>
      (namespace === '' || item.namespace === namespace) &&
      (info.name === '' || item.name === info.name) &&
      (fields === undefined || isNamedBy(fields, item)),
  };
}

/**
 * Reads the fields extracted at the write, or from the object itself if the selectable fields may have changed since.
 */
function readerOf({ entry }: Kind): Selectors['read'] {
  const { custom, selectableFields = {} } = entry;
  if (custom === undefined || custom.generation === 1) return (field, item) => item.field(field);
  return (field, item) => {
    const own = Object.hasOwn(selectableFields, field) ? selectableFields[field] : undefined;
    return own === undefined ? item.field(field) : own(parseOwnJson(item.json));
  };
}

interface Selectors {
  labels: LabelSelector | undefined;
  fields: FieldSelector | undefined;
  /** the name of a field in the stored version */
  storedName: (field: string) => string;
  read: (field: string, item: Item) => string;
}

function selects({ labels, fields, storedName, read }: Selectors, item: Item): boolean {
  if (labels !== undefined && !labels.matches(item.labels)) return false;
  return fields === undefined || fields.matches((field) => read(storedName(field), item));
}

function isNamedBy({ requirements }: FieldSelector, item: Item): boolean {
  return requirements.every(
    ({ field, equal, value }) => !COMMON_FIELDS.has(field) || (item.field(field) === value) === equal,
  );
}

function refuseOtherName(fields: FieldSelector | undefined, name: string): void {
  if (name === '' || fields === undefined) return;
  for (const { field, equal, value } of fields.requirements) {
    if (field === 'metadata.name' && equal && value !== name) {
      throw badRequest("fieldSelector metadata.name doesn't match requested name");
    }
  }
}
