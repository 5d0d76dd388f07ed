// Original file: proto/tidegate/health/v1/health.proto


export interface ChecksRequestInput {
}

export interface ChecksRequest {
}
