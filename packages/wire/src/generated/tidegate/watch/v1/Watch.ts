// Original file: proto/tidegate/watch/v1/watch.proto

import type { MethodDefinition } from '@grpc/proto-loader'
import type { FollowRequestInput as _tidegate_watch_v1_FollowRequestInput, FollowRequest as _tidegate_watch_v1_FollowRequest } from '../../../tidegate/watch/v1/FollowRequest.ts';
import type { FollowResponseInput as _tidegate_watch_v1_FollowResponseInput, FollowResponse as _tidegate_watch_v1_FollowResponse } from '../../../tidegate/watch/v1/FollowResponse.ts';
import type { ListPartInput as _tidegate_watch_v1_ListPartInput, ListPart as _tidegate_watch_v1_ListPart } from '../../../tidegate/watch/v1/ListPart.ts';
import type { ListRequestInput as _tidegate_watch_v1_ListRequestInput, ListRequest as _tidegate_watch_v1_ListRequest } from '../../../tidegate/watch/v1/ListRequest.ts';

export interface WatchDefinition {
  Follow: MethodDefinition<_tidegate_watch_v1_FollowRequestInput, _tidegate_watch_v1_FollowResponseInput, _tidegate_watch_v1_FollowRequest, _tidegate_watch_v1_FollowResponse>
  List: MethodDefinition<_tidegate_watch_v1_ListRequestInput, _tidegate_watch_v1_ListPartInput, _tidegate_watch_v1_ListRequest, _tidegate_watch_v1_ListPart>
}
