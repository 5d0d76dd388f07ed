import { once } from 'node:events';
import { connect, type TLSSocket } from 'node:tls';
import type { Answer, Client, ClientOptions } from './client.ts';

const END_OF_HEAD = Buffer.from('\r\n\r\n');
const EMPTY = Buffer.alloc(0);

/** A keep-alive connection with little overhead: one write for each request, and bodies are counted but not parsed. */
export class Connection implements Client {
  readonly #options: ClientOptions;
  readonly #socket: TLSSocket;
  #pending: Buffer = EMPTY;
  #wake: (() => void) | undefined;
  #ended = false;

  private constructor(options: ClientOptions, socket: TLSSocket) {
    this.#options = options;
    this.#socket = socket;
    socket.on('data', (part: Buffer) => {
      this.#pending = this.#pending.length === 0 ? part : Buffer.concat([this.#pending, part]);
      this.#wake?.();
    });
    const end = () => {
      this.#ended = true;
      this.#wake?.();
    };
    socket.on('close', end).on('error', end);
  }

  static async open(options: ClientOptions): Promise<Connection> {
    const { host, port } = options;
    // the server is on this machine, and the client's verification of its certificate is not part of the measurement
    const socket = connect({ host, port, rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] });
    await once(socket, 'secureConnect');
    socket.setNoDelay(true);
    return new Connection(options, socket);
  }

  async request(method: string, path: string, body?: Buffer, type = 'application/json', keep = false): Promise<Answer> {
    this.#send(method, path, body, type);
    const { code, length, chunked } = await this.#head();
    return chunked ? this.#chunks(code, keep) : this.#exact(code, length, keep);
  }

  /** Reads a streamed answer; calls `line` for each line with the time of its arrival. */
  async follow(path: string, line: (text: string, at: number) => void): Promise<number> {
    this.#send('GET', path, undefined, '');
    const { code } = await this.#head();
    let rest = '';
    const receive = (part: Buffer) => {
      const at = performance.timeOrigin + performance.now();
      const lines = (rest + part.toString('latin1')).split('\n');
      rest = lines.pop() ?? '';
      for (const text of lines) if (text.length > 20) line(text, at);
    };
    this.#socket.removeAllListeners('data');
    if (this.#pending.length > 0) receive(this.#pending);
    this.#socket.on('data', receive);
    return code;
  }

  close(): void {
    this.#socket.destroy();
  }

  #send(method: string, path: string, body: Buffer | undefined, type: string): void {
    const { host, port, token } = this.#options;
    const content = body === undefined ? '' : `Content-Type: ${type}\r\nContent-Length: ${body.length}\r\n`;
    const bearer = token === '' ? '' : `Authorization: Bearer ${token}\r\n`;
    const head = `${method} ${path} HTTP/1.1\r\nHost: ${host}:${port}\r\nAccept: application/json\r\n${bearer}${content}\r\n`;
    this.#socket.write(body === undefined ? head : Buffer.concat([Buffer.from(head, 'latin1'), body]));
  }

  async #head(): Promise<{ code: number; length: number; chunked: boolean }> {
    let end = this.#pending.indexOf(END_OF_HEAD);
    while (end < 0) {
      await this.#more();
      end = this.#pending.indexOf(END_OF_HEAD);
    }
    const head = this.#pending.toString('latin1', 0, end);
    this.#pending = this.#pending.subarray(end + 4);
    return {
      code: Number(head.slice(9, 12)),
      length: Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? '0'),
      chunked: /\r\ntransfer-encoding: *chunked/i.test(head),
    };
  }

  async #exact(code: number, length: number, keep: boolean): Promise<Answer> {
    const parts: Buffer[] = [];
    let remaining = length;
    while (remaining > 0) {
      if (this.#pending.length === 0) await this.#more();
      const part = this.#pending.subarray(0, remaining);
      this.#pending = this.#pending.subarray(part.length);
      remaining -= part.length;
      if (keep) parts.push(part);
    }
    return { code, body: keep ? Buffer.concat(parts) : EMPTY, bytes: length };
  }

  async #chunks(code: number, keep: boolean): Promise<Answer> {
    const parts: Buffer[] = [];
    let bytes = 0;
    for (;;) {
      let end = this.#pending.indexOf('\r\n');
      while (end < 0) {
        await this.#more();
        end = this.#pending.indexOf('\r\n');
      }
      const size = Number.parseInt(this.#pending.toString('latin1', 0, end), 16);
      this.#pending = this.#pending.subarray(end + 2);
      const { body } = await this.#exact(code, size + 2, keep);
      if (size === 0) return { code, body: Buffer.concat(parts), bytes };
      bytes += size;
      if (keep) parts.push(body.subarray(0, size));
    }
  }

  async #more(): Promise<void> {
    if (this.#ended) throw new Error('the server closed the connection');
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    this.#wake = undefined;
    if (this.#ended && this.#pending.length === 0) throw new Error('the server closed the connection');
  }
}
