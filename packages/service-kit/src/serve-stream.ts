import type { ServerWritableStream } from '@grpc/grpc-js';
import { timeout } from '@tidegate/status';
import { toServiceError } from '@tidegate/wire';

/** A client that reads nothing for this long is disconnected, because its call holds a transaction open. */
const STALLED_MS = 60_000;

/** The caller has cancelled the call, so no error is sent. */
export class Cancelled extends Error {}

/** Writes one message and resolves when the stream has room for the next. */
export async function writeMessage<Request, Response>(
  call: ServerWritableStream<Request, Response>,
  message: Response,
): Promise<void> {
  if (call.cancelled) throw new Cancelled();
  if (call.write(message)) return;
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => done(timeout('the caller did not read the response in time')), STALLED_MS);
    const onDrain = () => done();
    const onCancelled = () => done(new Cancelled());
    function done(error?: Error): void {
      clearTimeout(timer);
      call.off('drain', onDrain);
      call.off('cancelled', onCancelled);
      if (error === undefined) resolve();
      else reject(error);
    }
    call.on('drain', onDrain);
    call.on('cancelled', onCancelled);
  });
}

/** Ends the call when the work is done, with an error if it failed. */
export async function serveStream<Request, Response>(
  call: ServerWritableStream<Request, Response>,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
    call.end();
  } catch (error) {
    if (!(error instanceof Cancelled)) call.emit('error', toServiceError(error));
  }
}
