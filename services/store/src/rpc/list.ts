import type { handleServerStreamingCall } from '@grpc/grpc-js';
import { serveStream, writeMessage } from '@tidegate/service-kit';
import type { ListPage, ListRequest } from '@tidegate/wire';
import type { Lister } from '../storage/reads/lister.ts';

export function listHandler(lister: Lister): handleServerStreamingCall<ListRequest, ListPage> {
  return (call) => void serveStream(call, () => lister.list(call.request, (page) => writeMessage(call, page)));
}
