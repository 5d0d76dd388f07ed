import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { until } from './until.ts';
import type { TestWebhooks } from './webhook-server.ts';

// biome-ignore lint/suspicious/noExplicitAny: bodies of any kind are looked into
type Body = any;

/** What a server answers, with its own names for what no two servers name alike. */
export interface Said {
  readonly code: number;
  readonly warning?: string;
  readonly answer?: Body;
}

export interface Step {
  /** `PATCH /api/v1/namespaces/NS/configmaps/a?fieldManager=x` */
  readonly ask: string;
  readonly type?: string;
  readonly agent?: string;
  /** who asks, where it is not the administrator: a user, perhaps of a group */
  readonly as?: readonly [user: string, group?: string];
  readonly body?: Body;
  /** asked again until it is answered with this code: of what the server does by itself afterwards */
  readonly until?: number;
  /** what kube-apiserver says */
  said?: Said;
  /** what is right here, and why */
  readonly here?: Said & { readonly because: string };
}

/**
 * Requests to one server, one after another, in a namespace of their own, NS. A later request may use what an earlier
 * answer has named: `$u1` is the first uid that was seen, `$v2` the second resourceVersion.
 */
export interface Conversation {
  readonly title: string;
  /** of what is taken, only this is kept: the objects themselves are compared elsewhere */
  readonly keeps?: 'warnings' | 'status';
  readonly steps: Step[];
}

export type AskServer = (
  method: string,
  path: string,
  options: { body?: unknown; headers: Record<string, string> },
) => Promise<{ code: number; json: Body; text: string; headers: Record<string, string | string[] | undefined> }>;

export function readConversations(file: string): Conversation[] {
  return JSON.parse(readFileSync(file, 'utf8')) as Conversation[];
}

/** A line for each request and each answer, so that a change of one is a diff of one line. */
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
  /** for those conversations in which webhooks have a part: HOOK and CABUNDLE are theirs */
  readonly webhooks?: TestWebhooks;
  /** how long SETTLE takes: what was configured is so by then */
  readonly settleMs?: number;
}

/**
 * Holds the conversation with a server, and gives what it says to each step. Of a step that is SETTLE nothing is asked;
 * of one that is REVIEWS it is what the server has told webhooks since the last.
 */
export async function* converse(
  ask: AskServer,
  { steps, keeps }: Conversation,
  { namespace, webhooks, settleMs = 0 }: With,
): AsyncGenerator<[Step, Said]> {
  const own: Array<[string, string]> = [[namespace, 'NS']];
  if (webhooks !== undefined) own.push([webhooks.url, 'HOOK'], [webhooks.caBundle, 'CABUNDLE']);
  const names = new Names(own);
  // what others have left
  webhooks?.reviews();
  for (const step of steps) {
    if (step.ask === 'SETTLE') {
      await delay(settleMs);
      continue;
    }
    if (step.ask === 'REVIEWS') {
      const reviews = (webhooks?.reviews() ?? []).map(({ userInfo: _, ...review }) => review);
      yield [step, { code: 0, answer: names.here(reviews) }];
      continue;
    }
    const [method = '', path = ''] = step.ask.split(' ');
    const type = step.type ?? 'application/json';
    const body = step.body === undefined ? undefined : names.there(step.body);
    const once = () =>
      ask(method, names.there(path), {
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
        headers: {
          'User-Agent': step.agent ?? 'talk/1',
          ...(body === undefined ? {} : { 'Content-Type': type }),
          ...impersonation(names.there(step.as ?? [])),
        },
      });
    const answered = async () => {
      const answer = await once();
      return step.until === undefined || answer.code === step.until ? answer : undefined;
    };
    const { code, json, text, headers } = await until(`${step.ask} to be answered`, answered);
    const { warning } = headers;
    yield [
      step,
      {
        code,
        ...(warning === undefined ? {} : { warning: names.here(String(warning)) }),
        ...kept(names.here(json ?? text), code < 400 ? keeps : undefined),
      },
    ];
  }
}

function impersonation([user, group]: readonly string[]): Record<string, string> {
  if (user === undefined) return {};
  return { 'Impersonate-User': user, ...(group !== undefined && { 'Impersonate-Group': group }) };
}

function kept(answer: Body, keeps: Conversation['keeps']): Pick<Said, 'answer'> {
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

/** One that is told before anybody has seen it. */
const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?<!0{12})/g;

/** The volume with the token of a pod's account, which has its name by chance. */
const TOKEN_VOLUME = /kube-api-access-[a-z0-9]{5}/g;

/** What servers choose by themselves, told by when it was seen first. */
class Names {
  /** what is called otherwise in a conversation */
  readonly #own: ReadonlyArray<readonly [there: string, here: string]>;
  readonly #known: Record<'u' | 'v', Map<string, string>> = { u: new Map(), v: new Map() };

  constructor(own: ReadonlyArray<readonly [there: string, here: string]>) {
    this.#own = own;
  }

  here(value: Body, key = ''): Body {
    if (Array.isArray(value)) {
      const items = value.map((item) => this.here(item, key));
      // they stand in the order of their times, which are seconds
      return key === 'managedFields' ? items.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)) : items;
    }
    if (value !== null && typeof value === 'object') {
      // the version of a list is that of all that is stored
      if (Array.isArray(value.items)) {
        const items = this.here(value.items, 'items');
        return { ...value, apiVersion: this.#told(String(value.apiVersion)), metadata: {}, items };
      }
      // test/items-of-lists.e2e.test.ts compares which items name their kind
      const entries = Object.entries(value as object).filter(
        ([name]) => key !== 'items' || (name !== 'kind' && name !== 'apiVersion'),
      );
      return Object.fromEntries(entries.map(([name, item]) => [this.#told(name), this.here(item, name)]));
    }
    if (typeof value !== 'string') return value;
    if (key === 'uid' && value !== '') return this.#name('u', value);
    if (key === 'resourceVersion' && value !== '') return this.#name('v', value);
    if (TIMES.has(key)) return 'T';
    return this.#told(value);
  }

  #told(value: string): string {
    let text = value;
    for (const [there, here] of this.#own) text = text.replaceAll(there, here);
    for (const sort of ['u', 'v'] as const) {
      for (const [there, name] of this.#known[sort]) if (there.length > 10) text = text.replaceAll(there, name);
    }
    return text.replaceAll(UUID, 'UUID').replaceAll(TOKEN_VOLUME, 'kube-api-access-XXXXX');
  }

  there(value: Body): Body {
    if (Array.isArray(value)) return value.map((item) => this.there(item));
    if (value !== null && typeof value === 'object') {
      return Object.fromEntries(Object.entries(value as object).map(([name, item]) => [name, this.there(item)]));
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

/** The namespace of a conversation. */
export function namespaceOf({ title }: Conversation): string {
  return `talk-${title
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 50)
    .replace(/-$/, '')}`;
}
