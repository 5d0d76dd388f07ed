import type { handleServerStreamingCall, ServerWritableStream } from '@grpc/grpc-js';
import { type Item, listedOf, type Run, runOf } from '@tidegate/collection';
import { toRevision } from '@tidegate/revision';
import { Cancelled, serveStream, writeMessage } from '@tidegate/service-kit';
import { expired } from '@tidegate/status';
import type { CollectionListRequest, ListPart } from '@tidegate/wire';
import type { Collections } from '../window/collections.ts';
import { segmentMessage } from '../window/segment-message.ts';

interface ListOptions {
  /** returns the collections, complete through the revision; undefined if the call ends before that */
  at: (revision: number, callEnded: AbortSignal) => Promise<Collections | undefined>;
}

type ListCall = ServerWritableStream<CollectionListRequest, ListPart>;

/** The list rpc: sends one snapshot, at the speed of its reader. */
export function listHandler(options: ListOptions): handleServerStreamingCall<CollectionListRequest, ListPart> {
  return (call) => void serveStream(call, () => sendList(options, call));
}

async function sendList(options: ListOptions, call: ListCall): Promise<void> {
  const { resource, namespace, afterName, afterNamespace, limit, revision, exact, heads, typeless } = call.request;
  const callEnded = new AbortController();
  call.once('cancelled', () => callEnded.abort());
  if (call.cancelled) callEnded.abort();
  const collections = await options.at(revision, callEnded.signal);
  if (collections === undefined) throw new Cancelled();
  const collection = collections.get(resource);
  const snapshot = exact ? collection.at(toRevision(revision)) : collection.snapshot();
  if (snapshot === undefined) throw expired(`${resource} is no longer available at revision ${revision}`);
  // the next pages must come from the same snapshot
  if (limit > 0) collection.keep(snapshot);
  await writeMessage(call, { revision: snapshot.revision, corrupt: collection.corruptObjects(namespace) });

  const after = afterName === '' ? undefined : { namespace: afterNamespace, name: afterName };
  let left = limit === 0 ? Number.POSITIVE_INFINITY : Math.max(0, limit);
  let last: Item | undefined;
  for (const run of snapshot.runs(namespace, after)) {
    if (left === 0) break;
    const taken = Math.min(run.to - run.from, left);
    const sent = taken === run.to - run.from ? run : runOf(run.items, run.from, run.from + taken);
    await writeMessage(call, partOf(sent, { heads, typeless }));
    left -= taken;
    last = sent.items[sent.to - 1];
  }
  const remaining = left === 0 ? snapshot.count(namespace, last) : 0;
  await writeMessage(call, { remaining });
}

function partOf(run: Run, { heads, typeless }: Pick<CollectionListRequest, 'heads' | 'typeless'>): ListPart {
  const last = run.items[run.to - 1] as Item;
  const segment = heads ? segmentMessage(run) : { json: typeless ? withoutTypes(run) : run.joined(), items: [] };
  return { segment, count: run.to - run.from, lastNamespace: last.namespace, lastName: last.name };
}

function withoutTypes(run: Run): Buffer {
  const sizes = run.items.slice(run.from, run.to).map(({ size }) => size);
  return listedOf(run.joined(), sizes);
}
