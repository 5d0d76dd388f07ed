export interface Answer {
  code: number;
  /** the body, only if `keep` was set */
  body: Buffer;
  bytes: number;
}

export interface ClientOptions {
  host: string;
  port: number;
  token: string;
}

/** A client with a connection of its own, and one request at a time. */
export interface Client {
  request(method: string, path: string, body?: Buffer, type?: string, keep?: boolean): Promise<Answer>;
  close(): void;
}
