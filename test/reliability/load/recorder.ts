import type { Ask, History, List, Operation, Outcome, Page, State } from '../history/history.ts';
import type { Api, Reply } from './api.ts';
import { Knowledge, type ListChoice } from './choose.ts';
import { bodyOf, LABEL, stateOf } from './object.ts';

const METHODS = { create: 'POST', update: 'PUT', patch: 'PATCH', delete: 'DELETE', get: 'GET' } as const;
const TYPES = {
  create: 'application/json',
  update: 'application/json',
  patch: 'application/merge-patch+json',
} as const;

/** Sends requests and writes down what was asked, when, and what came of it. */
export class Recorder {
  readonly history: History = { operations: [], lists: [], oldReads: [], watchers: [], endVersion: 0 };
  readonly knowledge = new Knowledge();
  readonly namespace: string;
  readonly path: string;
  /** requests that were answered with what they asked for, by kind */
  readonly done = { operations: 0, lists: 0 };
  #tokens = 0;

  constructor(namespace: string) {
    this.namespace = namespace;
    this.path = `/api/v1/namespaces/${namespace}/configmaps`;
  }

  nextToken(): string {
    return `t${++this.#tokens}`;
  }

  async operate(api: Api, client: string, key: string, ask: Ask): Promise<Operation> {
    const start = performance.now();
    const path = ask.kind === 'create' ? this.path : `${this.path}/${key}`;
    const body = bodyOf(key, ask);
    const contentType = (TYPES as Record<string, string | undefined>)[ask.kind];
    const reply = await api.send({
      method: METHODS[ask.kind],
      path,
      ...(body === undefined || contentType === undefined ? {} : { body, contentType }),
    });
    const outcome = this.#outcomeOf(ask, reply);
    const end = outcome.kind === 'unknown' ? Number.POSITIVE_INFINITY : performance.now();
    const operation = { client, key, ask, start, end, outcome };
    this.history.operations.push(operation);
    if (outcome.kind === 'state') this.knowledge.saw(outcome.state);
    if (outcome.kind !== 'unknown' && outcome.kind !== 'refused') this.done.operations++;
    return operation;
  }

  /** A get from a gateway's mirror; what fails tells nothing. */
  async readOld(api: Api, client: string, key: string, asked: number): Promise<void> {
    const reply = await api.send({ method: 'GET', path: `${this.path}/${key}?resourceVersion=${asked}` });
    if (reply.kind !== 'answered' || (reply.code !== 200 && reply.code !== 404)) return;
    const state = reply.code === 200 ? stateOf(reply.json, this.namespace) : undefined;
    this.history.oldReads.push({ client, key, asked, state });
  }

  /** undefined when not even a first page was given. */
  async list(api: Api, client: string, choice: ListChoice): Promise<List | undefined> {
    const { mode, asked, selector, limit } = choice;
    const query = new URLSearchParams();
    if (selector !== '') query.set('labelSelector', `${LABEL}=${selector}`);
    if (limit > 0) query.set('limit', String(limit));
    const first = new URLSearchParams(query);
    if (mode === 'any') first.set('resourceVersion', '0');
    if (mode === 'exact' || mode === 'not older than') {
      first.set('resourceVersion', String(asked));
      first.set('resourceVersionMatch', mode === 'exact' ? 'Exact' : 'NotOlderThan');
    }
    const start = performance.now();
    const pages: Page[] = [];
    let whole = false;
    for (let now = first; !whole; ) {
      const reply = await api.send({ method: 'GET', path: `${this.path}?${now}` });
      if (reply.kind !== 'answered' || reply.code !== 200) break;
      const { metadata, items } = reply.json;
      pages.push({ version: Number(metadata.resourceVersion), items: items.flatMap(this.#stateOf) });
      whole = (metadata.continue ?? '') === '';
      now = new URLSearchParams(query);
      now.set('continue', metadata.continue ?? '');
    }
    if (pages.length === 0) return undefined;
    const list = { client, mode, asked, selector, start, pages, whole };
    this.history.lists.push(list);
    for (const state of pages.flatMap((page) => page.items)) if (mode === 'recent') this.knowledge.saw(state);
    this.done.lists++;
    return list;
  }

  #stateOf = (object: Parameters<typeof stateOf>[0]): State[] => {
    const state = stateOf(object, this.namespace);
    return state === undefined ? [] : [state];
  };

  #outcomeOf(ask: Ask, reply: Reply): Outcome {
    if (reply.kind !== 'answered') return { kind: reply.kind === 'lost' ? 'unknown' : 'refused' };
    const { code, json } = reply;
    if (code === 200 || code === 201) {
      if (ask.kind === 'delete') return { kind: 'deleted', uid: json.details.uid };
      return { kind: 'state', state: stateOf(json, this.namespace) as State };
    }
    if (code === 404 && ask.kind !== 'create') return { kind: 'absent' };
    if (code === 409 && ask.kind === 'create') return { kind: 'exists' };
    if (code === 409 && ask.kind === 'update') return { kind: 'conflict' };
    // these promise that nothing happened; of a patch or a delete the conflict was lost too often
    if (code === 409 || code === 429 || code === 503) return { kind: 'refused' };
    if (code >= 500) return { kind: 'unknown' };
    throw new Error(`${ask.kind} was answered ${code}: ${JSON.stringify(json)}`);
  }
}
