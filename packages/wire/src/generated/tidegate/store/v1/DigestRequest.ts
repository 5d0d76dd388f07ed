// Original file: proto/tidegate/store/v1/store.proto


export interface DigestRequestInput {
}

export interface DigestRequest {
}
