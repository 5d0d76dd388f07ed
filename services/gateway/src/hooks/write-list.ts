import { type Deflater, GzipMember, type Run, stored } from '@tidegate/collection';
import type { FastifyReply } from 'fastify';
import type { Gateway, ResourceRequest } from '../gateway.ts';
import type { Page } from '../rules/list-page.ts';
import { writeDrained } from './drained.ts';
import { GZIP, writeAnswer, writeHead } from './write-answer.ts';

const COMMA = Buffer.from(',');
const TAIL = Buffer.from(']}\n');

/** Below this a list is compressed as one text, which is smaller then, and no more work. */
const JOINED_FROM_BYTES = 128 << 10;
const SLICE_BYTES = 64 << 10;

/** A page of whole objects: the runs' ready bytes, handed on. */
export function writeList(gateway: Gateway, request: ResourceRequest, reply: FastifyReply, page: Page): Promise<void> {
  const { kind, coding } = request;
  const head = Buffer.from(
    `{"kind":"${kind.entry.kind}List","apiVersion":"${kind.apiVersion}","metadata":${JSON.stringify(page.metadata)},"items":[`,
  );
  if (coding.gzipFromBytes === undefined) return writePlain(request, reply, head, page.runs);
  const bytes = page.runs.reduce((sum, run) => sum + bytesOf(run), head.length);
  if (bytes < Math.max(JOINED_FROM_BYTES, coding.gzipFromBytes)) {
    return writeAnswer(request, reply, { code: 200, body: joined(head, page.runs) });
  }
  return writeGzip({ request, reply, deflater: gateway.deflater }, head, page.runs);
}

function bytesOf(run: Run): number {
  let bytes = 0;
  for (let i = run.from; i < run.to; i++) bytes += run.items[i]?.json.length ?? 0;
  return bytes;
}

function joined(head: Buffer, runs: readonly Run[]): Buffer {
  return Buffer.concat([head, ...runs.flatMap((run, i) => (i === 0 ? [run.json()] : [COMMA, run.json()])), TAIL]);
}

/** With back-pressure. The length is known before the first byte. */
async function writePlain(
  request: ResourceRequest,
  reply: FastifyReply,
  head: Buffer,
  runs: readonly Run[],
): Promise<void> {
  const bodies = runs.map((run) => run.json());
  const fixed = head.length + Math.max(0, bodies.length - 1) + TAIL.length;
  const length = bodies.reduce((sum, body) => sum + body.length, fixed);
  const raw = writeHead(request, reply, 200, ['Content-Length', length]);
  raw.write(head);
  for (const [i, body] of bodies.entries()) {
    if (i > 0) raw.write(COMMA);
    if (!(await writeDrained(raw, body))) return;
  }
  raw.end(TAIL);
}

const STORED_COMMA = stored(COMMA);
const STORED_TAIL = stored(TAIL);

/**
 * With back-pressure, and what is not deflated yet while the rest is being sent. Small neighbours leave in one write:
 * a deflated run is a few KiB, and each write is a system call.
 */
async function writeGzip(
  { request, reply, deflater }: { request: ResourceRequest; reply: FastifyReply; deflater: Deflater },
  head: Buffer,
  runs: readonly Run[],
): Promise<void> {
  const raw = writeHead(request, reply, 200, GZIP);
  const member = new GzipMember();
  let slice = [member.begin(), member.add(stored(head))];
  let bytes = 0;
  for (const [i, run] of runs.entries()) {
    if (i > 0) slice.push(member.add(STORED_COMMA));
    const part = member.add(await run.deflated(deflater));
    slice.push(part);
    bytes += part.length;
    if (bytes < SLICE_BYTES) continue;
    if (!(await writeDrained(raw, Buffer.concat(slice)))) return;
    slice = [];
    bytes = 0;
  }
  raw.end(Buffer.concat([...slice, member.add(STORED_TAIL), member.end()]));
}
