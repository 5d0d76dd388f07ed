import type { handleBidiStreamingCall, ServerDuplexStream } from '@grpc/grpc-js';
import { ApiError, timeout } from '@tidegate/status';
import type { ReadOutcome, SessionRequest, SessionResponse, WriteOutcome } from '@tidegate/wire';
import type { CommitBatcher } from '../storage/commits/commit-batcher.ts';
import type { HeadReader, KeyReader } from '../storage/reads/reads.ts';

interface SessionOptions {
  commits: CommitBatcher;
  reads: KeyReader;
  heads: HeadReader;
  /** why changes cannot be published now */
  busTrouble: () => string | undefined;
  /** called with the number of keys that a request reads or writes */
  counted: (keys: number) => void;
}

const NO_READS: ReadOutcome[] = [];
const NO_WRITES: WriteOutcome[] = [];
const NO_ERROR = new Uint8Array(0);

type SessionCall = ServerDuplexStream<SessionRequest, SessionResponse>;

/** Answers each message separately, when all its reads and writes are done. */
export function sessionHandler(options: SessionOptions): handleBidiStreamingCall<SessionRequest, SessionResponse> {
  return (call: SessionCall) => {
    let open = 0;
    let ended = false;
    const closeWhenDone = () => {
      if (ended && open === 0) call.end();
    };
    call.on('data', (request: SessionRequest) => {
      open++;
      options.counted((request.reads?.length ?? 0) + (request.writes?.length ?? 0));
      void answer(request, options).then((response) => {
        open--;
        if (call.cancelled) return;
        // pauses reading while the gateway does not read its answers
        if (!call.write(response) && !call.isPaused()) {
          call.pause();
          call.once('drain', () => call.resume());
        }
        closeWhenDone();
      });
    });
    call.on('end', () => {
      ended = true;
      closeWhenDone();
    });
    // an error of the connection: the gateway repeats the requests without an answer
    call.on('error', () => {});
  };
}

async function answer(request: SessionRequest, options: SessionOptions): Promise<SessionResponse> {
  const { id, reads = NO_READS, writes = NO_WRITES, head = false } = request as Required<SessionRequest>;
  try {
    if (writes.length === 0 && reads.length > 0 && !head) {
      return { id, reads: await options.reads.read(reads as never), writes: NO_WRITES, revision: 0, error: NO_ERROR };
    }
    if (writes.length > 0 && reads.length === 0 && !head) {
      return {
        id,
        reads: NO_READS,
        writes: await options.commits.submit(writes as never),
        revision: 0,
        error: NO_ERROR,
      };
    }
    return await answerAll(request, options);
  } catch (error) {
    const { status } = ApiError.from(error);
    const nothing = { id, reads: NO_READS, writes: NO_WRITES, revision: 0 };
    return { ...nothing, error: Buffer.from(JSON.stringify(status)), busTrouble: options.busTrouble() ?? '' };
  }
}

/** Answers a message with reads, writes or both. It fails as a whole, but only after all its writes are done. */
async function answerAll(request: SessionRequest, options: SessionOptions): Promise<SessionResponse> {
  const { id, reads = [], writes = [], head = false } = request;
  const [written, read, current] = await Promise.allSettled([
    writes.length === 0 ? NO_WRITES : options.commits.submit(writes),
    reads.length === 0 ? NO_READS : options.reads.read(reads),
    head ? options.heads.read() : { revision: 0 },
  ]);
  if (written.status === 'rejected') throw written.reason;
  const failure = read.status === 'rejected' ? read.reason : current.status === 'rejected' ? current.reason : undefined;
  if (failure !== undefined && writes.length > 0) throw timeout('only a part of the message was answered');
  if (read.status === 'rejected' || current.status === 'rejected') throw failure;
  const answers = { id, reads: read.value, writes: written.value, revision: current.value.revision };
  return { ...answers, error: NO_ERROR, busTrouble: options.busTrouble() ?? '' };
}
