import { Http2ServerResponse, type ServerHttp2Stream } from 'node:http2';

type Head = ReadonlyArray<string | number | string[]>;

/**
 * An answer over HTTP/2. Node's own class copies and checks every header by itself, and announces trailers, which cost
 * another frame. The head of an answer whose body follows at once goes to the stream as it is.
 *
 * Invariant: other answers have the announced trailers. Node ends a stream that is aborted, and the client can tell it
 * from a complete one only because its trailers are missing.
 */
export class DirectResponse extends Http2ServerResponse {
  /** the whole body is known when the head is written */
  isWhole = false;

  override writeHead(...head: unknown[]): this {
    const [code, headers] = head;
    const isDirect = this.isWhole && typeof code === 'number' && Array.isArray(headers) && isOpen(this.stream);
    if (isDirect && accepts(this.stream, [':status', code, ...headers])) {
      this.statusCode = code;
      return this;
    }
    return super.writeHead(...(head as Parameters<Http2ServerResponse['writeHead']>));
  }
}

function isOpen(stream: ServerHttp2Stream): boolean {
  return !stream.headersSent && !stream.closed && !stream.destroyed;
}

/** Sends the head, if HTTP/2 permits each of its headers. */
function accepts(stream: ServerHttp2Stream, head: Head): boolean {
  try {
    // Node's types do not know this form yet
    stream.respond(head as never);
    return true;
  } catch {
    // an Error with a code of HTTP/2, before anything was sent: Node's own class leaves out or rejects the header
    return false;
  }
}
