import type { handleServerStreamingCall } from '@grpc/grpc-js';
import type { ListPage, ListRequest } from '@tidegate/wire';
import type { Lister } from '../storage/lister.ts';
import { serveStream, writeMessage } from './stream.ts';

export function listHandler(lister: Lister): handleServerStreamingCall<ListRequest, ListPage> {
  return (call) => void serveStream(call, () => lister.list(call.request, (page) => writeMessage(call, page)));
}
