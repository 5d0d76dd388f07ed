import { Http2ServerResponse, type ServerHttp2Stream } from 'node:http2';

type Head = ReadonlyArray<string | number | string[]>;

/**
 * An answer over HTTP/2. Node's own class copies and checks every header by itself, and announces trailers for each
 * answer, which cost another frame. Here a head of names and values goes to the stream as it is.
 */
export class DirectResponse extends Http2ServerResponse {
  override writeHead(...head: unknown[]): this {
    const [code, headers] = head;
    const isComplete = typeof code === 'number' && Array.isArray(headers);
    if (isComplete && isOpen(this.stream) && responds(this.stream, [':status', code, ...headers])) {
      this.statusCode = code;
      return this;
    }
    return super.writeHead(...(head as Parameters<Http2ServerResponse['writeHead']>));
  }
}

function isOpen(stream: ServerHttp2Stream): boolean {
  return !stream.headersSent && !stream.closed && !stream.destroyed;
}

/** Whether the stream accepts the head. An answer of another server may have headers that HTTP/2 does not permit. */
function responds(stream: ServerHttp2Stream, head: Head): boolean {
  try {
    // Node's types do not know this form yet
    stream.respond(head as never);
    return true;
  } catch {
    // an Error with a code of HTTP/2, before anything was sent: Node's own class leaves out or rejects the header
    return false;
  }
}
