import type { handleServerStreamingCall, ServerWritableStream } from '@grpc/grpc-js';
import { serveStream, writeMessage } from '@tidegate/service-kit';
import type { FollowLogRequest, LogBatch } from '@tidegate/wire';
import type { ChangeFeed } from '../publish/change-feed.ts';
import type { LogReader } from '../storage/log/log-reader.ts';

interface FollowOptions {
  reader: LogReader;
  feed: ChangeFeed;
  /** aborted when this replica stops */
  closing: AbortSignal;
}

const HEARTBEAT_MS = 1000;

export function followLogHandler(options: FollowOptions): handleServerStreamingCall<FollowLogRequest, LogBatch> {
  return (call) => void serveStream(call, () => follow(call, options));
}

/** Sends this replica's commits from the feed; where one does not follow the last batch, reads the log. */
async function follow(call: ServerWritableStream<FollowLogRequest, LogBatch>, options: FollowOptions): Promise<void> {
  const { reader, feed } = options;
  const ended = new AbortController();
  call.once('cancelled', () => ended.abort());
  call.once('close', () => ended.abort());
  const closing = AbortSignal.any([ended.signal, options.closing]);
  feed.join(closing);
  let at = call.request.after;
  let epoch = 0;
  const send = async (batch: LogBatch) => {
    await writeMessage(call, batch);
    at = batch.last;
    epoch = batch.epoch;
  };
  try {
    // the first read also checks whether the log reaches back to the requested revision
    for await (const batch of reader.read(at, 0)) await send(batch);
    while (!closing.aborted) {
      const batch = feed.batchAfter(at);
      if (batch !== undefined) {
        await send(batch);
        continue;
      }
      const before = at;
      if (feed.revision > before) for await (const missed of reader.read(before, 0)) await send(missed);
      if (at > before) continue;
      // no change was sent; this also happens when the feed knows revisions that a failover has lost
      await feed.nextChange(HEARTBEAT_MS, closing);
      if (feed.revision <= at && !closing.aborted) await send({ epoch, first: at + 1, last: at, changes: [] });
    }
  } finally {
    ended.abort();
  }
}
