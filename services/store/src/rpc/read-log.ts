import type { handleServerStreamingCall } from '@grpc/grpc-js';
import { serveStream, writeMessage } from '@tidegate/service-kit';
import type { LogBatch, ReadLogRequest } from '@tidegate/wire';
import type { LogReader } from '../storage/log/log-reader.ts';

export function readLogHandler(reader: LogReader): handleServerStreamingCall<ReadLogRequest, LogBatch> {
  return (call) =>
    void serveStream(call, async () => {
      const { after, through = 0, resource = '' } = call.request;
      for await (const batch of reader.read(after, through, resource)) await writeMessage(call, batch);
    });
}
