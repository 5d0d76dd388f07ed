import type { NamedSchema } from '@tidegate/flow-control';

const FLOW = Symbol('flow');
const NONE: readonly string[] = [];

interface Answering {
  [FLOW]?: readonly string[];
}

const made = new WeakMap<NamedSchema, readonly string[]>();

/** Notes at a response what its headers are to say of the flow that the request is of. */
export function noteFlow(raw: object, schema: NamedSchema): void {
  let headers = made.get(schema);
  if (headers === undefined) {
    headers = headersOf(schema);
    made.set(schema, headers);
  }
  (raw as Answering)[FLOW] = headers;
}

/** Names and values in turn; none where the request is of no flow. */
export function flowHeaders(raw: object): readonly string[] {
  return (raw as Answering)[FLOW] ?? NONE;
}

/** Defaults that no object stands for yet have no uid to tell. */
function headersOf({ uid, level }: NamedSchema): readonly string[] {
  if (uid === '' || level.uid === '') return NONE;
  return ['X-Kubernetes-Pf-Flowschema-Uid', uid, 'X-Kubernetes-Pf-Prioritylevel-Uid', level.uid];
}
