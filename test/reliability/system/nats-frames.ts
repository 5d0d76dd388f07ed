/** One operation of the protocol between a client and NATS, with its bytes. */
export interface NatsFrame {
  /** in upper case: PUB, HPUB, MSG, HMSG, PING, INFO and so on */
  readonly operation: string;
  /** the subject of a message; empty for other operations */
  readonly subject: string;
  readonly bytes: Buffer;
}

const END = '\r\n';
/** Operations with a payload; the last number of their line is its length, including headers. */
const WITH_PAYLOAD = new Set(['PUB', 'HPUB', 'MSG', 'HMSG']);

/**
 * Splits the bytes of one side into frames, independently of how the input is split.
 *
 * For example `MSG a 1 2\r\nhi\r\nPI` and `NG\r\n` are the frames `MSG a 1 2\r\nhi\r\n` and `PING\r\n`.
 */
export class NatsFrames {
  #rest: Buffer = Buffer.alloc(0);

  *parse(part: Buffer): Generator<NatsFrame> {
    this.#rest = this.#rest.length === 0 ? part : Buffer.concat([this.#rest, part]);
    for (let frame = this.#next(); frame !== undefined; frame = this.#next()) {
      this.#rest = this.#rest.subarray(frame.bytes.length);
      yield frame;
    }
  }

  #next(): NatsFrame | undefined {
    const lineEnd = this.#rest.indexOf(END);
    if (lineEnd < 0) return undefined;
    const words = this.#rest.toString('latin1', 0, lineEnd).split(/[ \t]+/);
    const operation = (words[0] as string).toUpperCase();
    const hasPayload = WITH_PAYLOAD.has(operation);
    const length = lineEnd + END.length + (hasPayload ? Number(words.at(-1)) + END.length : 0);
    if (this.#rest.length < length) return undefined;
    return { operation, subject: hasPayload ? (words[1] as string) : '', bytes: this.#rest.subarray(0, length) };
  }
}
