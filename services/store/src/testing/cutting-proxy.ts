import type { AddressInfo } from 'node:net';
import { createConnection, createServer, type Socket } from 'node:net';

export interface CuttingProxy {
  readonly url: string;
  /** Cuts the connection that next gets an answer to a message containing this text, and keeps the answer back. */
  cutAnswerTo(text: string): Promise<void>;
  close(): Promise<void>;
}

/** Stands between a store and PostgreSQL, and loses answers on demand. */
export async function cuttingProxy(targetUrl: string): Promise<CuttingProxy> {
  const target = new URL(targetUrl);
  const port = Number(target.port);
  const sockets = new Set<Socket>();
  let wanted: { text: string; done: () => void } | undefined;
  const server = createServer((client) => {
    const upstream = createConnection(port, target.hostname);
    let cutting = false;
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket));
      // the test ends the connection, and looks at what that does to the other end
      socket.on('error', () => {});
    }
    client.on('data', (data) => {
      if (wanted !== undefined && data.includes(wanted.text)) cutting = true;
      upstream.write(data);
    });
    upstream.on('data', (data) => {
      if (!cutting) return void client.write(data);
      wanted?.done();
      wanted = undefined;
      client.destroy();
      upstream.destroy();
    });
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  target.port = String((server.address() as AddressInfo).port);
  return {
    url: target.href,
    cutAnswerTo: (text) => new Promise((done) => (wanted = { text, done })),
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}
