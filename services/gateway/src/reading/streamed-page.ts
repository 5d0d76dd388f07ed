import { type Item, type Position, withoutComma } from '@tidegate/collection';
import { type Revision, revisionText, toRevision } from '@tidegate/revision';
import type { FastifyReply } from 'fastify';
import { DelayedBody, delayOf } from '../answer/delayed-body.ts';
import { encodeContinue } from '../codec/continue-token.ts';
import { listForm } from '../codec/list-form.ts';
import type { ListForm, ListMetadata } from '../codec/list-shape.ts';
import type { ResourceRequest } from '../request/resource-request.ts';
import type { Selection } from '../request/selection.ts';

/** A page that is streamed from the store or the watch service. */
export interface PageRequest {
  readonly selection: Selection;
  readonly after: Position | undefined;
  /** 0: no limit */
  readonly limit: number;
}

/** Writes a page while it is received; nothing of it is kept. */
export class StreamedPage {
  readonly form: ListForm;
  revision: Revision = toRevision(0);
  /** objects that come after this page */
  remaining = 0;
  readonly #body: DelayedBody;
  readonly #request: PageRequest;
  #count = 0;
  #last: Position | undefined;
  /** bytes that are held back until it is known whether more follow: the last ones are written without their comma */
  #waiting: Buffer | undefined;

  /** delayedBytes: how much is held back, so that an error can still be sent as an error */
  constructor(request: ResourceRequest, reply: FastifyReply, page: PageRequest, delayedBytes?: number) {
    this.form = listForm(request);
    this.#body = new DelayedBody(request, reply, delayOf(this.form, delayedBytes));
    this.#request = page;
  }

  get count(): number {
    return this.#count;
  }

  get last(): Position | undefined {
    return this.#last;
  }

  async begin(): Promise<void> {
    await this.#body.write(this.form.open());
  }

  /** Writes objects in the stored form, each followed by a comma; false if the client has gone. */
  async writeWhole(json: Buffer, count: number, last: Position): Promise<boolean> {
    const before = this.#waiting;
    this.#waiting = json;
    this.#count += count;
    this.#last = last;
    return before === undefined || this.#body.write(before);
  }

  /** Writes one object if it is selected; false if no more are needed. */
  async write(item: Item): Promise<boolean> {
    const { selection, limit } = this.#request;
    if (!selection.matches(item)) return true;
    if (limit > 0 && this.#count === limit) {
      this.remaining = 1;
      return false;
    }
    const first = this.#count === 0;
    this.#count++;
    this.#last = item;
    return this.#body.write(this.form.item(item, first));
  }

  async end(): Promise<void> {
    if (this.#body.isGone) return;
    if (this.#waiting !== undefined) await this.#body.write(withoutComma(this.#waiting));
    const metadata = this.#metadata();
    await this.#body.write(this.form.close(this.#count === 0, metadata));
    await this.#body.end(this.form, metadata);
  }

  #metadata(): ListMetadata {
    const { selection, limit } = this.#request;
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
