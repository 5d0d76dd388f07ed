import { type Item, itemOf, itemParts, type Position } from '@tidegate/collection';
import { type Revision, revisionText } from '@tidegate/revision';
import type { FastifyReply } from 'fastify';
import { encodeContinue } from '../codec/continue-token.ts';
import { listForm } from '../codec/list-form.ts';
import type { Gateway, ResourceRequest } from '../gateway.ts';
import { DelayedBody, delayOf } from '../hooks/delayed-body.ts';
import type { ListMetadata } from '../rules/list-page.ts';
import type { Selection } from '../rules/selection.ts';
import { type StoredListRequest, storedObjects } from '../rules/stored-list.ts';

export interface ListFromStore {
  readonly selection: Selection;
  readonly revision: Revision;
  readonly after: Position | undefined;
  /** 0: no limit */
  readonly limit: number;
}

/**
 * A list at an exact revision that no mirror can show, written as the store sends it.
 *
 * The store is asked for no more than the page, and counts what follows it where that is not known from the page before.
 * A list by selectors does not tell it, and reads on until the page is full and one more is found.
 */
export async function listFromStore(
  gateway: Gateway,
  request: ResourceRequest,
  reply: FastifyReply,
  list: ListFromStore,
): Promise<void> {
  const form = listForm(request);
  const body = new DelayedBody(request, reply, delayOf(form));
  await body.write(form.open());
  const page = new PageCount(gateway, request, list);
  for await (const object of storedObjects(gateway, request, { ...list, ...page.asked })) {
    const item = itemOf(itemParts(object));
    if (!list.selection.matches(item)) continue;
    if (page.full) {
      page.remaining++;
      break;
    }
    if (!(await body.write(form.item(item, page.count === 0)))) return;
    page.take(item);
  }
  const metadata = page.metadata();
  await body.write(form.close(page.count === 0, metadata));
  await body.end(form, metadata);
}

/** How many objects a page has, and how many come after it. */
class PageCount {
  count = 0;
  remaining = 0;
  #last: Item | undefined;
  readonly #list: ListFromStore;
  readonly #gateway: Gateway;
  readonly #resource: string;
  /** from the place where this page begins */
  readonly #known: number | undefined;

  constructor(gateway: Gateway, { kind }: ResourceRequest, list: ListFromStore) {
    this.#list = list;
    this.#gateway = gateway;
    this.#resource = kind.storedAs;
    this.#known = list.after === undefined ? undefined : gateway.remaining.after(this.#endAt(list.after));
  }

  get asked(): Pick<StoredListRequest, 'namespace' | 'limit' | 'rest'> {
    const { selection, limit } = this.#list;
    const { namespace } = selection;
    if (selection.selective || limit === 0) return { namespace, limit: 0 };
    if (this.#known !== undefined) return { namespace, limit };
    const rest = (count: number) => {
      this.remaining = count;
    };
    return { namespace, limit, rest };
  }

  get full(): boolean {
    return this.#list.limit > 0 && this.count >= this.#list.limit;
  }

  take(item: Item): void {
    this.count++;
    this.#last = item;
  }

  metadata(): ListMetadata {
    const { selection, revision, limit } = this.#list;
    const metadata: ListMetadata = { resourceVersion: revisionText(revision) };
    if (this.#known !== undefined && !selection.selective) this.remaining = this.#known - this.count;
    if (this.remaining > 0 && this.#last !== undefined) {
      const { namespace, name } = this.#last;
      metadata.continue = encodeContinue({
        revision,
        after: { namespace: selection.namespace === '' ? namespace : '', name },
      });
      if (!selection.selective) {
        metadata.remainingItemCount = this.remaining;
        this.#gateway.remaining.note(this.#endAt(this.#last), this.remaining);
      }
    } else if (limit > 0) metadata.continue = '';
    return metadata;
  }

  #endAt(last: Position) {
    const { selection, revision } = this.#list;
    return { resource: this.#resource, namespace: selection.namespace, revision, last };
  }
}
