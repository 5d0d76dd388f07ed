import { setImmediate as turn } from 'node:timers/promises';
import {
  type Deflater,
  GzipMember,
  type Item,
  type ItemForm,
  type Run,
  stored,
  withoutComma,
} from '@tidegate/collection';
import type { FastifyReply } from 'fastify';
import { listForm } from '../codec/list-form.ts';
import type { ListForm, ListMetadata } from '../codec/list-shape.ts';
import { isLargeJson, type LargeSteps } from '../limits/large-steps.ts';
import { inStep, type ResourceRequest } from '../request/resource-request.ts';
import { DelayedBody, delayOf, MAX_BLOCK_MS } from './delayed-body.ts';
import { writeDrained } from './drained.ts';
import { codingHeader, writeAnswer, writeHead } from './write-answer.ts';

/** A page of a list: its objects and its metadata. */
interface Page {
  readonly runs: readonly Run[];
  readonly metadata: ListMetadata;
}

/** What writing lists needs. */
export interface ListWriting {
  readonly deflater: Deflater;
  readonly largeSteps: Pick<LargeSteps, 'of'>;
}

const TAIL = Buffer.from(']}\n');
/** Lists below this size are sent in one write. */
const SMALL_BYTES = 16 << 10;

/** Lists below this size are compressed as a whole, which is smaller and costs no more. */
const JOINED_FROM_BYTES = 128 << 10;
const SLICE_BYTES = 256 << 10;
/** Runs of ordinary objects have about this size; a larger run has a large object. */
const LARGE_RUN_BYTES = 300 << 10;

/** Writes a page of whole objects from the cached bytes of the runs. */
export function writeList(
  writing: ListWriting,
  request: ResourceRequest,
  reply: FastifyReply,
  page: Page,
): Promise<void> {
  const { kind, coding } = request;
  const head = Buffer.from(
    `{"kind":"${kind.entry.kind}List","apiVersion":"${kind.apiVersion}","metadata":${JSON.stringify(page.metadata)},"items":[`,
  );
  if (coding.name === undefined) return writePlain(request, reply, head, page.runs);
  const bytes = page.runs.reduce((sum, run) => sum + run.bytes, head.length);
  if (bytes < Math.max(JOINED_FROM_BYTES, coding.fromBytes)) {
    return writeAnswer(request, reply, { code: 200, body: joined(head, page.runs) });
  }
  if (coding.name !== 'gzip') return writeParts(request, reply, [head, ...bodiesOf(page.runs), TAIL]);
  return writeGzip({ request, reply, deflater: writing.deflater }, head, page.runs);
}

/** Writes a page in another form than the stored bytes: another encoding, a Table, metadata only, or indented. */
export async function writeConverted(
  writing: ListWriting,
  request: ResourceRequest,
  reply: FastifyReply,
  page: Page,
): Promise<void> {
  const form = listForm(request);
  if (form.items !== undefined && form.frame !== undefined) return writeFramed(writing, request, reply, { page, form });
  return writeItems(writing, request, reply, { items: itemsIn(page.runs), metadata: page.metadata });
}

function* itemsIn(runs: readonly Run[]): Generator<Item> {
  for (const { items, from, to } of runs) for (let i = from; i < to; i++) yield items[i] as Item;
}

/** Writes objects in any form, encoding them one at a time. */
export async function writeItems(
  { largeSteps }: ListWriting,
  request: ResourceRequest,
  reply: FastifyReply,
  { items, metadata }: { items: Iterable<Item>; metadata: ListMetadata },
): Promise<void> {
  const form = listForm(request);
  const steps = largeSteps.of(true);
  const body = new DelayedBody(request, reply, delayOf(form));
  await body.write(form.open(metadata));
  let empty = true;
  for (const item of items) {
    const isFirst = empty;
    const make = () => form.item(item, isFirst);
    const bytes = !form.plain && isLargeJson(item.listed) ? await inStep({ steps }, make) : make();
    if (!(await body.write(bytes))) return;
    empty = false;
  }
  await body.write(form.close(empty));
  await body.end(form, metadata);
}

/** Writes a page from the cached encodings of the runs, so that the length is known before the first byte. */
async function writeFramed(
  { largeSteps }: ListWriting,
  request: ResourceRequest,
  reply: FastifyReply,
  { page: { runs, metadata }, form: { items, frame } }: { page: Page; form: ListForm },
): Promise<void> {
  const steps = largeSteps.of(true);
  const parts: Buffer[] = [];
  let bytes = 0;
  let yieldedAt = performance.now();
  for (const run of runs) {
    const encode = () => run.encoded(items as ItemForm);
    const part = run.bytes > LARGE_RUN_BYTES ? await inStep({ steps }, encode) : encode();
    parts.push(part);
    bytes += part.length;
    if (performance.now() - yieldedAt < MAX_BLOCK_MS) continue;
    await turn();
    yieldedAt = performance.now();
  }
  const { head, tail } = (frame as NonNullable<ListForm['frame']>)(bytes, metadata);
  if (request.coding.name !== undefined) return writeParts(request, reply, [head, ...parts, tail]);
  const length = head.length + bytes + tail.length;
  const raw = writeHead(request, reply, { code: 200, headers: ['Content-Length', length] });
  for (const part of [head, ...parts]) if (!(await writeDrained(raw, part))) return;
  raw.end(tail);
}

/** Compresses the parts while it writes them. */
async function writeParts(request: ResourceRequest, reply: FastifyReply, parts: Iterable<Buffer>): Promise<void> {
  const body = new DelayedBody(request, reply);
  for (const part of parts) if (!(await body.write(part))) return;
  await body.end();
}

function joined(head: Buffer, runs: readonly Run[]): Buffer {
  return Buffer.concat([head, ...bodiesOf(runs), TAIL]);
}

/** Writes uncompressed with backpressure. The length is known before the first byte. */
async function writePlain(
  request: ResourceRequest,
  reply: FastifyReply,
  head: Buffer,
  runs: readonly Run[],
): Promise<void> {
  const commas = runs.length === 0 ? 0 : 1;
  const length = runs.reduce((sum, run) => sum + run.bytes, head.length + TAIL.length - commas);
  const raw = writeHead(request, reply, { code: 200, headers: ['Content-Length', length] });
  if (length < SMALL_BYTES) {
    raw.end(joined(head, runs));
    return;
  }
  // one buffer at a time: TLS copies everything that is written together before it encrypts it
  if (!(await writeDrained(raw, head))) return;
  for (const body of bodiesOf(runs)) if (!(await writeDrained(raw, body))) return;
  raw.end(TAIL);
}

/** The runs with commas between them, joined lazily so that a large list is not in memory twice. */
function* bodiesOf(runs: readonly Run[]): Generator<Buffer> {
  for (const [i, run] of runs.entries()) yield i + 1 < runs.length ? run.joined() : withoutComma(run.joined());
}

const STORED_COMMA = stored(Buffer.from(','));
const STORED_TAIL = stored(TAIL);

/** Writes cached deflated runs. When all are deflated, the length is known. Small neighbours are sent in one write. */
async function writeGzip(
  { request, reply, deflater }: { request: ResourceRequest; reply: FastifyReply; deflater: Deflater },
  head: Buffer,
  runs: readonly Run[],
): Promise<void> {
  const member = new GzipMember();
  const parts = [member.begin(), member.add(stored(head))];
  for (const [i, run] of runs.entries()) {
    if (i > 0) parts.push(member.add(STORED_COMMA));
    parts.push(member.add(await run.deflated(deflater)));
  }
  parts.push(member.add(STORED_TAIL), member.end());
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const raw = writeHead(request, reply, { code: 200, headers: ['Content-Length', length, ...codingHeader('gzip')] });
  for (const slice of slices(parts)) if (!(await writeDrained(raw, slice))) return;
  raw.end();
}

/** The parts in order, grouped into slices of a useful size. */
function* slices(parts: readonly Buffer[]): Generator<Buffer> {
  let from = 0;
  let bytes = 0;
  for (const [i, part] of parts.entries()) {
    bytes += part.length;
    if (bytes < SLICE_BYTES && i < parts.length - 1) continue;
    yield Buffer.concat(parts.slice(from, i + 1), bytes);
    from = i + 1;
    bytes = 0;
  }
}
