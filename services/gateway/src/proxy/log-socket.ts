import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { UpgradeResponse } from '../answer/upgrade-reply.ts';
import { protocolsOf } from './headers.ts';
import { acceptWebSocket, socketStream } from './web-sockets.ts';

const BASE64 = 'base64.binary.k8s.io';
const KNOWN = ['binary.k8s.io', BASE64];

/** A log as a WebSocket, for browsers: each message is a piece of it, as bytes or as base64. */
export async function sendToSocket(log: Readable, raw: UpgradeResponse): Promise<void> {
  const protocol = protocolsOf(raw.req).find((name) => KNOWN.includes(name)) ?? '';
  const webSocket = await acceptWebSocket(raw.req, raw.take(), protocol);
  const stream = socketStream(webSocket, { decodeStrings: false });
  // what a reader says means nothing
  stream.resume();
  const sent = protocol === BASE64 ? pipeline(log, inBase64(), stream) : pipeline(log, stream);
  // an error of either end: the node's log broke off, or the client has left
  await sent.catch(() => webSocket.terminate());
}

/** Each piece by itself: messages are read one by one. */
function inBase64(): Transform {
  return new Transform({
    readableObjectMode: true,
    transform: (chunk: Buffer, _encoding, done) => done(null, chunk.toString('base64')),
  });
}
