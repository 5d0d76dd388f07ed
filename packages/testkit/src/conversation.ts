import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { until } from './until.ts';
import type { TestWebhooks } from './webhook-server.ts';

// biome-ignore lint/suspicious/noExplicitAny: bodies of any kind are looked into
type Body = any;

/** A response, with placeholders for values that differ between servers. */
export interface RecordedResponse {
  readonly code: number;
  readonly warning?: string;
  readonly answer?: Body;
}

export interface Step {
  /** `PATCH /api/v1/namespaces/NS/configmaps/a?fieldManager=x` */
  readonly ask: string;
  readonly type?: string;
  readonly agent?: string;
  /** the user to impersonate, with an optional group; without it the administrator */
  readonly as?: readonly [user: string, group?: string];
  readonly body?: Body;
  /** the request is repeated until the response has this code, to wait for asynchronous work of the server */
  readonly until?: number;
  /** the response of kube-apiserver */
  said?: RecordedResponse;
  /** the expected response of Tidegate if it differs, and the reason */
  readonly here?: RecordedResponse & { readonly because: string };
}

/**
 * A sequence of requests to one server in a namespace of its own, NS. Requests can use values of earlier responses:
 * `$u1` is the first uid, `$v2` the second resourceVersion.
 */
export interface Conversation {
  readonly title: string;
  /** the only part of successful responses that is recorded; the objects are compared by other tests */
  readonly keeps?: 'warnings' | 'status';
  readonly steps: Step[];
}

export type SendRequest = (
  method: string,
  path: string,
  options: { body?: unknown; headers: Record<string, string> },
) => Promise<{ code: number; json: Body; text: string; headers: Record<string, string | string[] | undefined> }>;

export function readConversations(file: string): Conversation[] {
  return JSON.parse(readFileSync(file, 'utf8')) as Conversation[];
}

/** Writes each request and each response on a line of its own, so that a change of one is a diff of one line. */
export function writeConversations(file: string, conversations: readonly Conversation[]): void {
  const texts = conversations.map(({ title, keeps, steps }) => {
    const lines = steps.map((step) =>
      Object.entries(step)
        .map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`)
        .join(',\n  '),
    );
    const kept = keeps === undefined ? '' : `, "keeps": ${JSON.stringify(keeps)}`;
    return `{"title": ${JSON.stringify(title)}${kept}, "steps": [\n ${lines.map((line) => `{${line}}`).join(',\n ')}\n]}`;
  });
  writeFileSync(file, `[\n${texts.join(',\n')}\n]\n`);
}

interface With {
  readonly namespace: string;
  /** for conversations with webhooks, which use the placeholders HOOK and CABUNDLE */
  readonly webhooks?: TestWebhooks;
  /** how long SETTLE waits, until a changed configuration is in effect */
  readonly settleMs?: number;
}

/**
 * Runs the conversation against a server and yields the response to each step. SETTLE only waits. REVIEWS yields the
 * reviews that the server has sent to webhooks since the last such step.
 */
export async function* converse(
  send: SendRequest,
  { steps, keeps }: Conversation,
  { namespace, webhooks, settleMs = 0 }: With,
): AsyncGenerator<[Step, RecordedResponse]> {
  const own: Array<[string, string]> = [[namespace, 'NS']];
  if (webhooks !== undefined) own.push([webhooks.url, 'HOOK'], [webhooks.caBundle, 'CABUNDLE']);
  const placeholders = new Placeholders(own);
  // discard the reviews of earlier conversations
  webhooks?.reviews();
  for (const step of steps) {
    if (step.ask === 'SETTLE') {
      await delay(settleMs);
      continue;
    }
    if (step.ask === 'REVIEWS') {
      const reviews = (webhooks?.reviews() ?? []).map(({ userInfo: _, ...review }) => review);
      yield [step, { code: 0, answer: placeholders.insert(reviews) }];
      continue;
    }
    const [method = '', path = ''] = step.ask.split(' ');
    const type = step.type ?? 'application/json';
    const body = step.body === undefined ? undefined : placeholders.resolve(step.body);
    const sendOnce = () =>
      send(method, placeholders.resolve(path), {
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
        headers: {
          'User-Agent': step.agent ?? 'talk/1',
          ...(body === undefined ? {} : { 'Content-Type': type }),
          ...impersonation(placeholders.resolve(step.as ?? [])),
        },
      });
    const expected = async () => {
      const answer = await sendOnce();
      return step.until === undefined || answer.code === step.until ? answer : undefined;
    };
    const { code, json, text, headers } = await until(`${step.ask} to be answered`, expected);
    const { warning } = headers;
    yield [
      step,
      {
        code,
        ...(warning === undefined ? {} : { warning: placeholders.insert(String(warning)) }),
        ...kept(placeholders.insert(json ?? text), code < 400 ? keeps : undefined),
      },
    ];
  }
}

function impersonation([user, group]: readonly string[]): Record<string, string> {
  if (user === undefined) return {};
  return { 'Impersonate-User': user, ...(group !== undefined && { 'Impersonate-Group': group }) };
}

function kept(answer: Body, keeps: Conversation['keeps']): Pick<RecordedResponse, 'answer'> {
  if (keeps === undefined) return { answer };
  const { status } = answer as { status?: Body };
  return keeps === 'status' && status !== undefined ? { answer: status } : {};
}

const TIMES = new Set([
  'lastPhaseTransitionTime',
  'creationTimestamp',
  'deletionTimestamp',
  'time',
  'lastTransitionTime',
  'startTime',
]);

/** A uid that appears in a text before it appears in a uid field. */
const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?<!0{12})/g;

/** The volume with the token of a pod's account, which has a random name. */
const TOKEN_VOLUME = /kube-api-access-[a-z0-9]{5}/g;

/** Replaces values that the server chooses by placeholders, numbered by their first occurrence, and back. */
class Placeholders {
  /** the fixed placeholders of the conversation */
  readonly #own: ReadonlyArray<readonly [there: string, here: string]>;
  readonly #known: Record<'u' | 'v', Map<string, string>> = { u: new Map(), v: new Map() };

  constructor(own: ReadonlyArray<readonly [there: string, here: string]>) {
    this.#own = own;
  }

  insert(value: Body, key = ''): Body {
    if (Array.isArray(value)) {
      const items = value.map((item) => this.insert(item, key));
      // their order depends on times in seconds, so they are sorted
      return key === 'managedFields' ? items.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)) : items;
    }
    if (value !== null && typeof value === 'object') {
      // the resourceVersion of a list depends on all stored objects
      if (Array.isArray(value.items)) {
        const items = this.insert(value.items, 'items');
        return { ...value, apiVersion: this.#replaceIn(String(value.apiVersion)), metadata: {}, items };
      }
      // test/items-of-lists.e2e.test.ts compares which items name their kind
      const entries = Object.entries(value as object).filter(
        ([name]) => key !== 'items' || (name !== 'kind' && name !== 'apiVersion'),
      );
      return Object.fromEntries(entries.map(([name, item]) => [this.#replaceIn(name), this.insert(item, name)]));
    }
    if (typeof value !== 'string') return value;
    if (key === 'uid' && value !== '') return this.#name('u', value);
    if (key === 'resourceVersion' && value !== '') return this.#name('v', value);
    if (TIMES.has(key)) return 'T';
    return this.#replaceIn(value);
  }

  #replaceIn(value: string): string {
    let text = value;
    for (const [there, here] of this.#own) text = text.replaceAll(there, here);
    for (const sort of ['u', 'v'] as const) {
      for (const [there, name] of this.#known[sort]) if (there.length > 10) text = text.replaceAll(there, name);
    }
    return text.replaceAll(UUID, 'UUID').replaceAll(TOKEN_VOLUME, 'kube-api-access-XXXXX');
  }

  resolve(value: Body): Body {
    if (Array.isArray(value)) return value.map((item) => this.resolve(item));
    if (value !== null && typeof value === 'object') {
      return Object.fromEntries(Object.entries(value as object).map(([name, item]) => [name, this.resolve(item)]));
    }
    if (typeof value !== 'string') return value;
    let text = value;
    for (const [there, here] of this.#own) text = text.replaceAll(new RegExp(`\\b${here}\\b`, 'g'), there);
    return text.replaceAll(/\$([uv])(\d+)/g, (name, sort: 'u' | 'v') => {
      const found = [...this.#known[sort]].find(([, known]) => known === name);
      if (found === undefined) throw new Error(`${name} has not been seen yet`);
      return found[0];
    });
  }

  #name(sort: 'u' | 'v', value: string): string {
    const known = this.#known[sort];
    const name = known.get(value) ?? `$${sort}${known.size + 1}`;
    known.set(value, name);
    return name;
  }
}

/** The name of the namespace of a conversation. */
export function namespaceOf({ title }: Conversation): string {
  return `talk-${title
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 50)
    .replace(/-$/, '')}`;
}
