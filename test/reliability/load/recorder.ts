import type { History, List, Operation, OperationRequest, Outcome, Page, State } from '../history/history.ts';
import type { Api, Reply } from './api.ts';
import { Knowledge, type ListChoice } from './choose.ts';
import { bodyOf, LABEL, stateOf } from './object.ts';

const METHODS = { create: 'POST', update: 'PUT', patch: 'PATCH', delete: 'DELETE', get: 'GET' } as const;
const TYPES = {
  create: 'application/json',
  update: 'application/json',
  patch: 'application/merge-patch+json',
} as const;

/** Sends requests and records them with their times and outcomes. */
export class Recorder {
  readonly history: History = { operations: [], lists: [], oldReads: [], watchers: [], endVersion: 0 };
  readonly knowledge = new Knowledge();
  readonly namespace: string;
  readonly path: string;
  /** the number of successful requests, by kind */
  readonly done = { operations: 0, lists: 0 };
  #tokens = 0;

  constructor(namespace: string) {
    this.namespace = namespace;
    this.path = `/api/v1/namespaces/${namespace}/configmaps`;
  }

  nextToken(): string {
    return `t${++this.#tokens}`;
  }

  async operate(api: Api, client: string, key: string, request: OperationRequest): Promise<Operation> {
    const start = performance.now();
    const path = request.kind === 'create' ? this.path : `${this.path}/${key}`;
    const body = bodyOf(key, request);
    const contentType = (TYPES as Record<string, string | undefined>)[request.kind];
    const reply = await api.send({
      method: METHODS[request.kind],
      path,
      ...(body === undefined || contentType === undefined ? {} : { body, contentType }),
    });
    const outcome = this.#outcomeOf(request, reply);
    const end = outcome.kind === 'unknown' ? Number.POSITIVE_INFINITY : performance.now();
    const operation = { client, key, request, start, end, outcome };
    this.history.operations.push(operation);
    if (outcome.kind === 'state') this.knowledge.observe(outcome.state);
    if (outcome.kind !== 'unknown' && outcome.kind !== 'rejected') this.done.operations++;
    return operation;
  }

  /** A get from a gateway's mirror; failures are not recorded. */
  async readOld(api: Api, client: string, key: string, requested: number): Promise<void> {
    const reply = await api.send({ method: 'GET', path: `${this.path}/${key}?resourceVersion=${requested}` });
    if (reply.kind !== 'answered' || (reply.code !== 200 && reply.code !== 404)) return;
    const state = reply.code === 200 ? stateOf(reply.json, this.namespace) : undefined;
    this.history.oldReads.push({ client, key, requested, state });
  }

  /** Undefined if not even the first page could be read. */
  async list(api: Api, client: string, choice: ListChoice): Promise<List | undefined> {
    const { mode, requested, selector, limit } = choice;
    const query = new URLSearchParams();
    if (selector !== '') query.set('labelSelector', `${LABEL}=${selector}`);
    if (limit > 0) query.set('limit', String(limit));
    const first = new URLSearchParams(query);
    if (mode === 'any') first.set('resourceVersion', '0');
    if (mode === 'exact' || mode === 'not older than') {
      first.set('resourceVersion', String(requested));
      first.set('resourceVersionMatch', mode === 'exact' ? 'Exact' : 'NotOlderThan');
    }
    const start = performance.now();
    const pages: Page[] = [];
    let isComplete = false;
    for (let now = first; !isComplete; ) {
      const reply = await api.send({ method: 'GET', path: `${this.path}?${now}` });
      if (reply.kind !== 'answered' || reply.code !== 200) break;
      const { metadata, items } = reply.json;
      pages.push({ version: Number(metadata.resourceVersion), items: items.flatMap(this.#stateOf) });
      isComplete = (metadata.continue ?? '') === '';
      now = new URLSearchParams(query);
      now.set('continue', metadata.continue ?? '');
    }
    if (pages.length === 0) return undefined;
    const list = { client, mode, requested, selector, start, pages, isComplete };
    this.history.lists.push(list);
    for (const state of pages.flatMap((page) => page.items)) if (mode === 'recent') this.knowledge.observe(state);
    this.done.lists++;
    return list;
  }

  #stateOf = (object: Parameters<typeof stateOf>[0]): State[] => {
    const state = stateOf(object, this.namespace);
    return state === undefined ? [] : [state];
  };

  #outcomeOf(request: OperationRequest, reply: Reply): Outcome {
    if (reply.kind !== 'answered') return { kind: reply.kind === 'lost' ? 'unknown' : 'rejected' };
    const { code, json } = reply;
    if (code === 200 || code === 201) {
      if (request.kind === 'delete') return { kind: 'deleted', uid: json.details.uid };
      return { kind: 'state', state: stateOf(json, this.namespace) as State };
    }
    if (code === 404 && request.kind !== 'create') return { kind: 'absent' };
    if (code === 409 && request.kind === 'create') return { kind: 'exists' };
    if (code === 409 && request.kind === 'update') return { kind: 'conflict' };
    // these promise that nothing happened; a patch or a delete gets 409 after too many conflicts
    if (code === 409 || code === 429 || code === 503) return { kind: 'rejected' };
    if (code >= 500) return { kind: 'unknown' };
    throw new Error(`unexpected answer to ${request.kind}: ${code} ${JSON.stringify(json)}`);
  }
}
