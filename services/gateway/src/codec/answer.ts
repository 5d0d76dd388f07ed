import { fromStored, type Kind } from '@tidegate/kinds';
import type { JsonObject } from '@tidegate/schema';
import type { Status } from '@tidegate/status';
import type { Answer, ResourceRequest } from '../gateway.ts';
import { type Accepted, negotiate } from './negotiate.ts';
import { columnDefinitions, partialObject, tableRow } from './object-form.ts';

/** One object in the form that the client asked for. */
export function objectAnswer(request: ResourceRequest, code: number, json: Buffer): Answer {
  const accepted = negotiate(request.accept);
  const pretty = accepted.pretty || request.info.query.flag('pretty');
  const asStored = request.kind.stored === request.kind;
  if (accepted.as === 'object' && !pretty && asStored) return { code, body: json };
  const object = JSON.parse(json.toString('utf8')) as JsonObject;
  return jsonAnswer(code, formed(request, accepted, object), pretty);
}

function formed(request: ResourceRequest, accepted: Accepted, object: JsonObject): JsonObject {
  if (accepted.as === 'metadata') return partialObject(object, accepted.group);
  if (accepted.as === 'object') return fromStored(request.kind, object);
  const { resourceVersion } = object.metadata as { resourceVersion?: string };
  const row = tableRow(request.kind, object, request.info.query.get('includeObject') ?? '', accepted.group);
  return tableOf(request.kind, accepted, { resourceVersion: resourceVersion ?? '' }, [row]);
}

export function tableOf(kind: Kind, accepted: Accepted, metadata: JsonObject, rows: JsonObject[]): JsonObject {
  return {
    kind: 'Table',
    apiVersion: `${accepted.group}/v1`,
    metadata,
    columnDefinitions: columnDefinitions(kind),
    rows,
  };
}

export function jsonAnswer(code: number, value: unknown, pretty = false): Answer {
  return { code, body: Buffer.from(pretty ? `${JSON.stringify(value, null, 2)}\n` : `${JSON.stringify(value)}\n`) };
}

/** A success that has no object to show. */
export function successAnswer(request: ResourceRequest, uid: string): Answer {
  const { entry } = request.kind;
  const status: Status = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: {
      name: request.info.name,
      ...(entry.group === '' ? {} : { group: entry.group }),
      kind: entry.resource,
      uid,
    },
    code: 200,
  };
  const { code: _code, ...body } = status;
  return jsonAnswer(200, body, request.info.query.flag('pretty'));
}
