import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { FeatureGates } from '@tidegate/feature-gates';
import type { Query, RequestInfo } from '@tidegate/request-info';
import { badRequest, type FieldError, forbiddenField, invalid, invalidValue, notSupported } from '@tidegate/status';
import type { UpgradeResponse } from '../answer/upgrade-reply.ts';
import { pathFlag } from '../request/query-parameters.ts';
import { protocolsOf } from './headers.ts';
import { acceptWebSocket, socketStream } from './web-sockets.ts';

/** The options of a log request. */
export interface LogOptions {
  readonly container: string;
  /** the query for the kubelet, sorted by name */
  readonly query: URLSearchParams;
  /** false: the kubelet's certificate is not verified */
  readonly verified: boolean;
}

const STREAMS = ['All', 'Stderr', 'Stdout'];

export function readLogOptions({ query, name }: RequestInfo, gates: FeatureGates): LogOptions {
  const splits = gates.enabled('PodLogsQuerySplitStreams');
  const numbers = {
    limitBytes: query.int64('limitBytes'),
    sinceSeconds: query.int64('sinceSeconds'),
    tailLines: query.int64('tailLines'),
  };
  const sinceTime = time(query);
  const stream = query.get('stream') ?? (splits ? 'All' : undefined);
  const errors = [...numberErrors(numbers, sinceTime), ...streamErrors(stream, numbers.tailLines, splits)];
  if (errors.length > 0) throw invalid({ group: '', kind: 'PodLogOptions', name }, errors);
  const all = {
    follow: pathFlag(query, 'follow') ? 'true' : undefined,
    limitBytes: numbers.limitBytes,
    previous: pathFlag(query, 'previous') ? 'true' : undefined,
    sinceSeconds: numbers.sinceSeconds,
    sinceTime,
    stream,
    tailLines: numbers.tailLines,
    timestamps: pathFlag(query, 'timestamps') ? 'true' : undefined,
  };
  const given = Object.entries(all).flatMap(([key, value]) => (value === undefined ? [] : [[key, String(value)]]));
  return {
    container: query.get('container') ?? '',
    query: new URLSearchParams(given as string[][]),
    verified: !pathFlag(query, 'insecureSkipTLSVerifyBackend'),
  };
}

interface Numbers {
  readonly tailLines: bigint | undefined;
  readonly limitBytes: bigint | undefined;
  readonly sinceSeconds: bigint | undefined;
}

function numberErrors({ tailLines, limitBytes, sinceSeconds }: Numbers, sinceTime: string | undefined): FieldError[] {
  const errors: FieldError[] = [];
  if (tailLines !== undefined && tailLines < 0n) {
    errors.push(invalidValue('tailLines', Number(tailLines), 'must be greater than or equal to 0'));
  }
  if (limitBytes !== undefined && limitBytes < 1n) {
    errors.push(invalidValue('limitBytes', Number(limitBytes), 'must be greater than 0'));
  }
  if (sinceSeconds === undefined) return errors;
  if (sinceTime !== undefined) {
    errors.push(forbiddenField('', 'at most one of `sinceTime` or `sinceSeconds` may be specified'));
  } else if (sinceSeconds < 1n) {
    errors.push(invalidValue('sinceSeconds', Number(sinceSeconds), 'must be greater than 0'));
  }
  return errors;
}

function streamErrors(stream: string | undefined, tailLines: bigint | undefined, splits: boolean): FieldError[] {
  if (stream === undefined) return [];
  if (!splits) return [forbiddenField('stream', 'may not be specified')];
  const known = STREAMS.includes(stream) ? [] : [notSupported('stream', stream, STREAMS)];
  if (stream === 'All' || tailLines === undefined) return known;
  return [...known, forbiddenField('', '`tailLines` and specific `stream` are mutually exclusive for now')];
}

const RFC3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d([.,]\d+)?(Z|[+-]\d\d:\d\d)$/;

/** The time in whole seconds, as kubelets expect it. */
function time(query: Query): string | undefined {
  const text = query.get('sinceTime');
  if (text === undefined || text === '' || text === 'null') return undefined;
  const at = RFC3339.test(text) ? new Date(text.replace(',', '.')) : undefined;
  if (at === undefined || Number.isNaN(at.getTime())) {
    throw badRequest(`parsing time ${JSON.stringify(text)} as "2006-01-02T15:04:05Z07:00": it is no RFC 3339 time`);
  }
  return at.toISOString().replace(/\.\d+Z$/, 'Z');
}

const BASE64 = 'base64.binary.k8s.io';
const KNOWN = ['binary.k8s.io', BASE64];

/** Sends a log over a WebSocket, for browsers: each message is a part of it, as bytes or as base64. */
export async function sendToSocket(log: Readable, raw: UpgradeResponse): Promise<void> {
  const protocol = protocolsOf(raw.req).find((name) => KNOWN.includes(name)) ?? '';
  const webSocket = await acceptWebSocket(raw.req, raw.take(), protocol);
  const stream = socketStream(webSocket, { decodeStrings: false });
  // messages of the client are ignored
  stream.resume();
  const sent = protocol === BASE64 ? pipeline(log, inBase64(), stream) : pipeline(log, stream);
  // an error of either side: the kubelet's stream broke, or the client has left
  await sent.catch(() => webSocket.terminate());
}

/** Encodes each part separately, because clients decode messages one by one. */
function inBase64(): Transform {
  return new Transform({
    readableObjectMode: true,
    transform: (chunk: Buffer, _encoding, done) => done(null, chunk.toString('base64')),
  });
}
