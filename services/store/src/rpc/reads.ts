import type { handleServerStreamingCall, handleUnaryCall } from '@grpc/grpc-js';
import type { Pool } from '@tidegate/database';
import { serveStream, writeMessage } from '@tidegate/service-kit';
import {
  type DigestResponse,
  type HeadResponse,
  type ListPage,
  type ListRequest,
  type LogBatch,
  type ReadLogRequest,
  toServiceError,
} from '@tidegate/wire';
import type { LogReader } from '../storage/log/log-reader.ts';
import { readDigests } from '../storage/reads/digests.ts';
import type { Lister } from '../storage/reads/lister.ts';
import type { HeadReader } from '../storage/reads/reads.ts';

export function listHandler(lister: Lister): handleServerStreamingCall<ListRequest, ListPage> {
  return (call) => void serveStream(call, () => lister.list(call.request, (page) => writeMessage(call, page)));
}

export function readLogHandler(reader: LogReader): handleServerStreamingCall<ReadLogRequest, LogBatch> {
  return (call) =>
    void serveStream(call, async () => {
      const { after, through = 0, resource = '' } = call.request;
      for await (const batch of reader.read(after, through, resource)) await writeMessage(call, batch);
    });
}

export function headHandler(heads: HeadReader): handleUnaryCall<unknown, HeadResponse> {
  return unaryHandler(() => heads.read());
}

export function digestHandler(pool: Pool): handleUnaryCall<unknown, DigestResponse> {
  return unaryHandler(() => readDigests(pool));
}

function unaryHandler<T>(read: () => Promise<T>): handleUnaryCall<unknown, T> {
  return (_call, callback) => {
    read().then(
      (response) => callback(null, response),
      (error: unknown) => callback(toServiceError(error)),
    );
  };
}
