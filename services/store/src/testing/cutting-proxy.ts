import type { AddressInfo } from 'node:net';
import { createConnection, createServer, type Socket } from 'node:net';

export interface CuttingProxy {
  readonly url: string;
  /** Closes the connection that sends the next message with this text, and drops its answer. */
  cutAnswerTo(text: string): Promise<void>;
  close(): Promise<void>;
}

/** A proxy between a store and PostgreSQL that loses answers on demand. */
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
      // an error of a connection that the test has closed
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
