// Original file: proto/tidegate/store/v1/store.proto

import type { MethodDefinition } from '@grpc/proto-loader'
import type { DeleteCorruptRequestInput as _tidegate_store_v1_DeleteCorruptRequestInput, DeleteCorruptRequest as _tidegate_store_v1_DeleteCorruptRequest } from '../../../tidegate/store/v1/DeleteCorruptRequest.ts';
import type { DeleteCorruptResponseInput as _tidegate_store_v1_DeleteCorruptResponseInput, DeleteCorruptResponse as _tidegate_store_v1_DeleteCorruptResponse } from '../../../tidegate/store/v1/DeleteCorruptResponse.ts';
import type { DigestRequestInput as _tidegate_store_v1_DigestRequestInput, DigestRequest as _tidegate_store_v1_DigestRequest } from '../../../tidegate/store/v1/DigestRequest.ts';
import type { DigestResponseInput as _tidegate_store_v1_DigestResponseInput, DigestResponse as _tidegate_store_v1_DigestResponse } from '../../../tidegate/store/v1/DigestResponse.ts';
import type { FollowLogRequestInput as _tidegate_store_v1_FollowLogRequestInput, FollowLogRequest as _tidegate_store_v1_FollowLogRequest } from '../../../tidegate/store/v1/FollowLogRequest.ts';
import type { HeadRequestInput as _tidegate_store_v1_HeadRequestInput, HeadRequest as _tidegate_store_v1_HeadRequest } from '../../../tidegate/store/v1/HeadRequest.ts';
import type { HeadResponseInput as _tidegate_store_v1_HeadResponseInput, HeadResponse as _tidegate_store_v1_HeadResponse } from '../../../tidegate/store/v1/HeadResponse.ts';
import type { ListPageInput as _tidegate_store_v1_ListPageInput, ListPage as _tidegate_store_v1_ListPage } from '../../../tidegate/store/v1/ListPage.ts';
import type { ListRequestInput as _tidegate_store_v1_ListRequestInput, ListRequest as _tidegate_store_v1_ListRequest } from '../../../tidegate/store/v1/ListRequest.ts';
import type { LogBatchInput as _tidegate_store_v1_LogBatchInput, LogBatch as _tidegate_store_v1_LogBatch } from '../../../tidegate/store/v1/LogBatch.ts';
import type { ReadLogRequestInput as _tidegate_store_v1_ReadLogRequestInput, ReadLogRequest as _tidegate_store_v1_ReadLogRequest } from '../../../tidegate/store/v1/ReadLogRequest.ts';
import type { SessionRequestInput as _tidegate_store_v1_SessionRequestInput, SessionRequest as _tidegate_store_v1_SessionRequest } from '../../../tidegate/store/v1/SessionRequest.ts';
import type { SessionResponseInput as _tidegate_store_v1_SessionResponseInput, SessionResponse as _tidegate_store_v1_SessionResponse } from '../../../tidegate/store/v1/SessionResponse.ts';

export interface StoreDefinition {
  DeleteCorrupt: MethodDefinition<_tidegate_store_v1_DeleteCorruptRequestInput, _tidegate_store_v1_DeleteCorruptResponseInput, _tidegate_store_v1_DeleteCorruptRequest, _tidegate_store_v1_DeleteCorruptResponse>
  Digest: MethodDefinition<_tidegate_store_v1_DigestRequestInput, _tidegate_store_v1_DigestResponseInput, _tidegate_store_v1_DigestRequest, _tidegate_store_v1_DigestResponse>
  FollowLog: MethodDefinition<_tidegate_store_v1_FollowLogRequestInput, _tidegate_store_v1_LogBatchInput, _tidegate_store_v1_FollowLogRequest, _tidegate_store_v1_LogBatch>
  Head: MethodDefinition<_tidegate_store_v1_HeadRequestInput, _tidegate_store_v1_HeadResponseInput, _tidegate_store_v1_HeadRequest, _tidegate_store_v1_HeadResponse>
  List: MethodDefinition<_tidegate_store_v1_ListRequestInput, _tidegate_store_v1_ListPageInput, _tidegate_store_v1_ListRequest, _tidegate_store_v1_ListPage>
  ReadLog: MethodDefinition<_tidegate_store_v1_ReadLogRequestInput, _tidegate_store_v1_LogBatchInput, _tidegate_store_v1_ReadLogRequest, _tidegate_store_v1_LogBatch>
  Session: MethodDefinition<_tidegate_store_v1_SessionRequestInput, _tidegate_store_v1_SessionResponseInput, _tidegate_store_v1_SessionRequest, _tidegate_store_v1_SessionResponse>
}
