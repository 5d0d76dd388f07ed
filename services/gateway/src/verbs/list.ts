import { once } from 'node:events';
import { type Collection, type Item, joinItems, type Position, type Run, type Snapshot } from '@tidegate/collection';
import { type Revision, revisionText, toRevision } from '@tidegate/revision';
import { expired } from '@tidegate/status';
import type { FastifyReply } from 'fastify';
import { jsonAnswer, tableOf } from '../codec/answer.ts';
import { encodeContinue } from '../codec/continue-token.ts';
import { type Accepted, negotiate } from '../codec/negotiate.ts';
import { partialObject, tableRow } from '../codec/object-form.ts';
import type { Answer, Gateway, ResourceRequest, VerbHandler } from '../gateway.ts';
import { writeHead } from '../hooks/write-answer.ts';
import { collectionAtLeast, latestCollection } from '../rules/fresh-collection.ts';
import { type Freshness, listOptions } from '../rules/list-options.ts';
import { refuseCorrupt } from '../rules/refuse-corrupt.ts';
import { type Selection, selectionOf } from '../rules/selection.ts';

/** GET of a collection, at the revision that the request's options ask for. */
export const list: VerbHandler = async (gateway, request, reply) => {
  const options = listOptions(request.info);
  const selection = selectionOf(request.kind, request.info);
  const accepted = negotiate(request.accept);
  const { snapshot, inconsistent } = await snapshotFor(gateway, request, {
    namespace: selection.namespace,
    freshness: options.freshness,
  });
  const after = options.freshness.kind === 'continuation' ? options.freshness.token.after : undefined;
  const page = pageOf(snapshot, selection, placeAfter(selection, after), options.limit);
  if (page.last !== undefined) {
    if (!inconsistent) gateway.mirrors.peek(request.kind.storedAs)?.keep(snapshot);
    page.metadata.continue = encodeContinue({
      revision: snapshot.revision,
      after: { namespace: selection.namespace === '' ? page.last.namespace : '', name: page.last.name },
    });
  }
  const pretty = accepted.pretty || request.info.query.flag('pretty');
  if (accepted.as === 'object' && !pretty) return writeRuns(request, reply, page);
  return formedAnswer(request, accepted, page, pretty);
};

interface Found {
  snapshot: Snapshot;
  /** a continuation that gave up on being one snapshot with its earlier pages */
  inconsistent: boolean;
}

async function snapshotFor(
  gateway: Gateway,
  request: ResourceRequest,
  { namespace, freshness }: { namespace: string; freshness: Freshness },
): Promise<Found> {
  const whole = async (collection: Collection): Promise<Collection> => {
    await refuseCorrupt(gateway, request, collection, namespace);
    return collection;
  };
  const latest = async () => whole(await latestCollection(gateway, request));
  const atLeast = async (revision: Revision) => whole(await collectionAtLeast(gateway, request, revision));
  switch (freshness.kind) {
    case 'most recent':
      return { snapshot: (await latest()).snapshot(), inconsistent: false };
    case 'any':
      return { snapshot: (await atLeast(toRevision(0))).snapshot(), inconsistent: false };
    case 'not older than':
      return { snapshot: (await atLeast(freshness.revision)).snapshot(), inconsistent: false };
    case 'exact': {
      const snapshot = (await atLeast(freshness.revision)).at(freshness.revision);
      if (snapshot === undefined) throw expired('The resourceVersion for the provided list is too old.');
      return { snapshot, inconsistent: false };
    }
    case 'continuation': {
      const { revision, after } = freshness.token;
      if (revision === -1) return { snapshot: (await latest()).snapshot(), inconsistent: true };
      const snapshot = (await atLeast(toRevision(revision))).at(toRevision(revision));
      if (snapshot === undefined) throw expired(CONTINUE_EXPIRED, encodeContinue({ revision: -1, after }));
      return { snapshot, inconsistent: false };
    }
  }
}

const CONTINUE_EXPIRED =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.';

/** Tokens of a namespaced list name the object only. */
function placeAfter(selection: Selection, after: Position | undefined): Position | undefined {
  if (after === undefined || selection.namespace === '') return after;
  return { namespace: selection.namespace, name: after.name };
}

interface Page {
  runs: Run[];
  metadata: { resourceVersion: string; continue?: string; remainingItemCount?: number };
  /** set when there are more */
  last: Item | undefined;
}

/** The runs of one page, filtered where the request selects. */
function pageOf(snapshot: Snapshot, selection: Selection, after: Position | undefined, limit: number): Page {
  const metadata: Page['metadata'] = { resourceVersion: revisionText(snapshot.revision) };
  const runs: Run[] = [];
  let left = limit === 0 ? Number.POSITIVE_INFINITY : limit;
  let last: Item | undefined;
  let remaining = 0;
  for (const run of snapshot.runs(selection.namespace, after)) {
    const selected = selection.selective ? filtered(run, selection) : run;
    const count = selected.to - selected.from;
    if (count === 0) continue;
    if (left > 0) {
      const taken = Math.min(count, left);
      runs.push(taken === count ? selected : part(selected, taken));
      left -= taken;
      last = selected.items[selected.from + taken - 1];
      remaining += count - taken;
    } else remaining += count;
    if (selection.selective && remaining > 0) break;
  }
  const more = remaining > 0;
  if (more && !selection.selective) metadata.remainingItemCount = remaining;
  // the last page of a paged list says so
  if (!more && limit > 0) metadata.continue = '';
  return { runs, metadata, last: more ? last : undefined };
}

function filtered(run: Run, selection: Selection): Run {
  const items = run.items.slice(run.from, run.to).filter((item) => selection.matches(item));
  return runOf(items, 0, items.length);
}

function part(run: Run, count: number): Run {
  return runOf(run.items, run.from, run.from + count);
}

function runOf(items: readonly Item[], from: number, to: number): Run {
  return { items, from, to, json: () => joinItems(items, from, to) };
}

/** Hands on the runs' ready bytes, with back-pressure. The length is known before the first byte. */
async function writeRuns(request: ResourceRequest, reply: FastifyReply, page: Page): Promise<undefined> {
  const { kind } = request;
  const head = Buffer.from(
    `{"kind":"${kind.entry.kind}List","apiVersion":"${kind.apiVersion}","metadata":${JSON.stringify(page.metadata)},"items":[`,
  );
  const bodies = page.runs.map((run) => run.json());
  const length = bodies.reduce(
    (sum, body) => sum + body.length,
    head.length + Math.max(0, bodies.length - 1) + TAIL.length,
  );
  const raw = writeHead(request, reply, 200, ['Content-Length', length]);
  raw.write(head);
  for (const [i, body] of bodies.entries()) {
    if (i > 0) raw.write(COMMA);
    if (!raw.write(body) && !raw.destroyed) await Promise.race([once(raw, 'drain'), once(raw, 'close')]);
    if (raw.destroyed) return;
  }
  raw.end(TAIL);
}

const COMMA = Buffer.from(',');
const TAIL = Buffer.from(']}\n');

function formedAnswer(request: ResourceRequest, accepted: Accepted, page: Page, pretty: boolean): Answer {
  const { kind, info } = request;
  const objects = page.runs.flatMap((run) =>
    run.items.slice(run.from, run.to).map((item) => JSON.parse(item.json.toString('utf8'))),
  );
  if (accepted.as === 'table') {
    const include = info.query.get('includeObject') ?? '';
    return jsonAnswer(
      200,
      tableOf(
        kind,
        accepted,
        page.metadata,
        objects.map((object) => tableRow(kind, object, include, accepted.group)),
      ),
      pretty,
    );
  }
  if (accepted.as === 'metadata') {
    const items = objects.map((object) => partialObject(object, accepted.group));
    return jsonAnswer(
      200,
      { kind: 'PartialObjectMetadataList', apiVersion: `${accepted.group}/v1`, metadata: page.metadata, items },
      pretty,
    );
  }
  return jsonAnswer(
    200,
    { kind: `${kind.entry.kind}List`, apiVersion: kind.apiVersion, metadata: page.metadata, items: objects },
    pretty,
  );
}
