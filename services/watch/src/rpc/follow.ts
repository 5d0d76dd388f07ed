import type { handleBidiStreamingCall } from '@grpc/grpc-js';
import type { FollowRequest, FollowResponse } from '@tidegate/wire';
import type { FollowCall } from '../follow/follower.ts';
import { Follower } from '../follow/follower.ts';
import type { Collections } from '../window/collections.ts';

interface FollowOptions {
  /** resolves when the collections are complete */
  collections: () => Promise<Collections>;
  join: (follower: Follower) => void;
  leave: (follower: Follower) => void;
  /** called when a reader waits for a revision */
  expect: (revision: number) => void;
}

/** The follow rpc: passes the requests of a gateway to its follower. */
export function followHandler(options: FollowOptions): handleBidiStreamingCall<FollowRequest, FollowResponse> {
  return async (call: FollowCall) => {
    const early: FollowRequest[] = [];
    call.on('data', (request: FollowRequest) => early.push(request));
    // an error that is sent to the gateway also ends the stream
    call.on('error', () => {});
    const collections = await options.collections();
    // the gateway has disconnected already: no later event would remove its follower
    if (call.cancelled) return;
    if (call.readableEnded) return void call.end();
    const follower = new Follower(call, collections);
    const handle = (request: FollowRequest) => {
      for (const resource of request.open ?? []) follower.open(resource);
      for (const resource of request.close ?? []) follower.close(resource);
      if (request.waitFor) options.expect(request.waitFor);
    };
    options.join(follower);
    call.removeAllListeners('data');
    for (const request of early) handle(request);
    call.on('data', handle);
    const leave = () => {
      options.leave(follower);
      follower.end();
    };
    call.on('end', leave);
    call.on('cancelled', leave);
  };
}
