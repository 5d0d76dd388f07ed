import type { handleBidiStreamingCall } from '@grpc/grpc-js';
import type { FollowRequest, FollowResponse } from '@tidegate/wire';
import type { FollowCall } from '../follow/follower.ts';
import { Follower } from '../follow/follower.ts';
import type { Collections } from '../window/collections.ts';

interface FollowRoom {
  /** resolves when the collections are complete */
  collections: () => Promise<Collections>;
  join: (follower: Follower) => void;
  leave: (follower: Follower) => void;
  /** a reader waits for this revision */
  expect: (revision: number) => void;
}

/** The follow rpc: what a gateway asks, handed to its follower. */
export function followHandler(room: FollowRoom): handleBidiStreamingCall<FollowRequest, FollowResponse> {
  return async (call: FollowCall) => {
    const early: FollowRequest[] = [];
    call.on('data', (request: FollowRequest) => early.push(request));
    // whatever is told to the gateway as an error also ends the stream
    call.on('error', () => {});
    const collections = await room.collections();
    // nothing would tell any more that the gateway has left, and its follower would stay
    if (call.cancelled) return;
    if (call.readableEnded) return void call.end();
    const follower = new Follower(call, collections);
    const handle = (request: FollowRequest) => {
      for (const resource of request.open ?? []) follower.open(resource);
      for (const resource of request.close ?? []) follower.close(resource);
      if (request.waitFor) room.expect(request.waitFor);
    };
    room.join(follower);
    call.removeAllListeners('data');
    for (const request of early) handle(request);
    call.on('data', handle);
    const leave = () => {
      room.leave(follower);
      follower.end();
    };
    call.on('end', leave);
    call.on('cancelled', leave);
  };
}
