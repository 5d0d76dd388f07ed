import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  Client,
  credentials,
  Metadata,
  type MethodDefinition,
  Server,
  ServerCredentials,
  type ServiceError,
  type sendUnaryData,
  status,
} from '@grpc/grpc-js';
import { ApiError, expired, invalid, notFound, type Reason, reasons, tooManyRequests } from '@tidegate/status';
import { store } from './contracts.ts';
import { fromServiceError, toServiceError } from './errors.ts';

const again = (error: unknown) => fromServiceError(toServiceError(error) as ServiceError);

describe('An error that crosses gRPC', () => {
  for (const [reason, { grpc }] of Object.entries(reasons)) {
    test(`with reason ${reason} has the code ${grpc}, and its whole Status as a detail`, () => {
      const error = new ApiError(reason as Reason, 'why', {
        details: { name: 'n', causes: [{ field: 'spec.a', message: 'm', reason: 'FieldValueInvalid' }] },
        continueToken: 'token',
        code: 499,
      });
      assert.equal(toServiceError(error).code, grpc);
      assert.deepEqual(again(error)?.status, error.status);
    });
  }

  const pods = { group: '', resource: 'pods' };
  const made = {
    'that was not found': notFound(pods, 'ä'),
    'of an expired version': expired('too old', 'a token'),
    'of too many requests': tooManyRequests('later', 7),
    'of an invalid object': invalid({ group: 'apps', kind: 'Deployment', name: 'd' }, [
      { type: 'FieldValueRequired', field: 'spec', message: 'Required value' },
    ]),
  };
  for (const [what, error] of Object.entries(made)) {
    test(`${what} keeps its Status`, () => {
      const other = again(error);
      assert.ok(other instanceof ApiError);
      assert.deepEqual(other.status, error.status);
      assert.equal(other.message, error.message);
    });
  }

  test('without a reason has the code UNKNOWN, and keeps its Status', () => {
    const error = new ApiError('', 'the webhook says no', { code: 418 });
    assert.equal(toServiceError(error).code, status.UNKNOWN);
    assert.deepEqual(again(error)?.status, error.status);
  });

  test('of another class is an internal error', () => {
    for (const thrown of [new TypeError('x is undefined'), 'x is undefined']) {
      const { code, details } = toServiceError(thrown);
      assert.equal(code, status.INTERNAL);
      assert.equal(details, 'Internal error occurred: x is undefined');
      assert.equal(again(thrown)?.reason, 'InternalError');
    }
  });

  test('keeps the error of gRPC as its cause', () => {
    const crossed = toServiceError(expired('too old')) as ServiceError;
    assert.equal(fromServiceError(crossed)?.cause, crossed);
  });

  test('has no Status when the connection broke or the deadline passed', () => {
    const broken = { code: status.UNAVAILABLE, details: 'No connection established' };
    for (const metadata of [undefined, new Metadata()]) {
      assert.equal(
        fromServiceError(Object.assign(new Error('14 UNAVAILABLE'), broken, { metadata }) as never),
        undefined,
      );
    }
  });

  test('is the same at the other end of a connection', async () => {
    const error = notFound(pods, 'größer als "\n"');
    const server = new Server();
    server.addService(store, {
      head: (_call: unknown, callback: sendUnaryData<object>) => callback(toServiceError(error)),
    });
    const port = await new Promise<number>((resolve, reject) =>
      server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (failure, bound) =>
        failure ? reject(failure) : resolve(bound),
      ),
    );
    const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
    const { path, requestSerialize, responseDeserialize } = store.head as MethodDefinition<object, object>;
    try {
      const crossed = await new Promise<ServiceError | null>((resolve) =>
        client.makeUnaryRequest(path, requestSerialize, responseDeserialize, {}, resolve),
      );
      assert.equal(crossed?.code, status.NOT_FOUND);
      assert.deepEqual(fromServiceError(crossed as ServiceError)?.status, error.status);
    } finally {
      client.close();
      server.forceShutdown();
    }
  });
});
