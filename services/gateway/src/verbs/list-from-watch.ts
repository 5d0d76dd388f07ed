import { type Position, segmentOf, withoutComma } from '@tidegate/collection';
import { type Revision, revisionText, toRevision } from '@tidegate/revision';
import { unreadable } from '@tidegate/status';
import type { ListPart, Segment } from '@tidegate/wire';
import type { FastifyReply } from 'fastify';
import { encodeContinue } from '../codec/continue-token.ts';
import { type ListForm, listForm } from '../codec/list-form.ts';
import type { Gateway, ResourceRequest } from '../gateway.ts';
import { DelayedBody, delayOf } from '../hooks/delayed-body.ts';
import type { ListMetadata } from '../rules/list-page.ts';
import type { Selection } from '../rules/selection.ts';

/** The head of the stream has told all that can be refused. */
const DELAYED_BYTES = 128 << 10;

export interface StreamedPage {
  readonly selection: Selection;
  readonly after: Position | undefined;
  /** 0: no limit */
  readonly limit: number;
}

interface ListFromWatch extends StreamedPage {
  readonly revision: Revision;
  readonly exact: boolean;
}

/** A list of a collection that is too large to be held here, written as the watch service sends it. */
export async function listFromWatch(
  gateway: Gateway,
  request: ResourceRequest,
  reply: FastifyReply,
  list: ListFromWatch,
): Promise<void> {
  const { selection, after, limit, revision, exact } = list;
  const form = listForm(request);
  const heads = selection.selective || !form.plain;
  const parts = gateway.watchLists.list({
    resource: request.kind.storedAs,
    namespace: selection.namespace,
    afterNamespace: after?.namespace ?? '',
    afterName: after?.name ?? '',
    // what a selector leaves out does not count
    limit: selection.selective ? 0 : limit,
    revision,
    exact,
    heads,
  });
  const body = new DelayedBody(request, reply, delayOf(form, DELAYED_BYTES));
  const page = new StreamedItems(body, form, list);
  await body.write(form.open());
  for await (const part of parts) {
    refuseCorrupt(request, part);
    if (part.revision) page.revision = toRevision(part.revision);
    if (part.remaining) page.remaining = part.remaining;
    if (part.segment && !(await (heads ? page.writeItems(part.segment) : page.writeWhole(part)))) break;
  }
  if (!body.isGone) await page.end();
}

function refuseCorrupt({ kind }: ResourceRequest, { corrupt = [] }: ListPart): void {
  if (corrupt.length === 0) return;
  throw unreadable(
    kind.entry,
    corrupt.map((object) => ({ ...object, revision: toRevision(object.revision) })),
  );
}

/** The items of one page on their way: whole segments as they are, where that is what the client wants. */
class StreamedItems {
  revision = toRevision(0);
  remaining = 0;
  readonly #body: DelayedBody;
  readonly #form: ListForm;
  readonly #list: ListFromWatch;
  #count = 0;
  #last: Position | undefined;
  /** written when it is known whether another follows: the last has no comma behind it */
  #waiting: Buffer | undefined;

  constructor(body: DelayedBody, form: ListForm, list: ListFromWatch) {
    this.#body = body;
    this.#form = form;
    this.#list = list;
  }

  /** false when no more is wanted */
  async writeWhole({ segment, count = 0, lastNamespace = '', lastName = '' }: ListPart): Promise<boolean> {
    const before = this.#waiting;
    this.#waiting = segment?.json as Buffer;
    this.#count += count;
    this.#last = { namespace: lastNamespace, name: lastName };
    return before === undefined || this.#body.write(before);
  }

  /** false when no more is wanted */
  async writeItems({ json, items }: Segment): Promise<boolean> {
    const { selection, limit } = this.#list;
    for (const item of segmentOf(json as Buffer, items).items) {
      if (!selection.matches(item)) continue;
      if (limit > 0 && this.#count === limit) {
        this.remaining = 1;
        return false;
      }
      if (!(await this.#body.write(this.#form.item(item, this.#count === 0)))) return false;
      this.#count++;
      this.#last = item;
    }
    return true;
  }

  async end(): Promise<void> {
    if (this.#waiting !== undefined) await this.#body.write(withoutComma(this.#waiting));
    const metadata = this.#metadata();
    await this.#body.write(this.#form.close(this.#count === 0, metadata));
    await this.#body.end(this.#form, metadata);
  }

  #metadata(): ListMetadata {
    const { selection, limit } = this.#list;
    const metadata: ListMetadata = { resourceVersion: revisionText(this.revision) };
    if (this.remaining > 0 && this.#last !== undefined) {
      const { namespace, name } = this.#last;
      const after = { namespace: selection.namespace === '' ? namespace : '', name };
      metadata.continue = encodeContinue({ revision: this.revision, after });
      if (!selection.selective) metadata.remainingItemCount = this.remaining;
    } else if (limit > 0) metadata.continue = '';
    return metadata;
  }
}
