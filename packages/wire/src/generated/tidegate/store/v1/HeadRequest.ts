// Original file: proto/tidegate/store/v1/store.proto


export interface HeadRequestInput {
}

export interface HeadRequest {
}
