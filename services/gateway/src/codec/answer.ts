import { fromStored, type Kind, metaSchemas } from '@tidegate/kinds';
import { parseFlag, type Query } from '@tidegate/request-info';
import { type JsonObject, parseOwnJson } from '@tidegate/schema';
import type { Status } from '@tidegate/status';
import type { Accepted, Document } from '../request/answer-form.ts';
import type { Answer, ResourceRequest } from '../request/resource-request.ts';
import { columnDefinitions, commonForm, partialObject, tableRow } from './object-form.ts';
import type { RecentObjects, Stored } from './recent-objects.ts';

/** An answer with an object as the store has it, in the negotiated form. Watchers may need the same bytes. */
export function storedAnswer(recent: RecentObjects, request: ResourceRequest, code: number, stored: Stored): Answer {
  if (isAsStored(request)) return { code, body: stored.json() };
  const form = isPretty(request) ? undefined : commonForm(request.kind, request.accepted);
  return form === undefined ? objectAnswer(request, code, stored.json()) : { code, body: recent.encoded(form, stored) };
}

/** An answer with one object, in the negotiated form. */
export function objectAnswer(request: ResourceRequest, code: number, json: Buffer): Answer {
  if (isAsStored(request)) return { code, body: json };
  return documentAnswer(request, code, documentIn(request, parseOwnJson(json)));
}

/** Whether the stored bytes can be sent unchanged: same version, JSON, whole object, not indented. */
export function isAsStored(request: ResourceRequest): boolean {
  const { accepted, kind } = request;
  const isSameForm = kind.stored === kind && accepted.encoding.name === 'json' && accepted.as === 'object';
  return isSameForm && !isPretty(request);
}

function documentIn({ kind, accepted, info }: ResourceRequest, object: JsonObject): Document {
  if (accepted.as === 'metadata') {
    return { value: partialObject(object, accepted.metaVersion), schema: metaSchemas.partialObject };
  }
  if (accepted.as === 'object') return { value: fromStored(kind, object), schema: kind.schema };
  const { resourceVersion } = object.metadata as { resourceVersion?: string };
  const row = tableRow(kind, object, info.query.get('includeObject') ?? '', accepted.metaVersion);
  return { value: tableOf(kind, accepted, { resourceVersion: resourceVersion ?? '' }, [row]), schema: undefined };
}

function tableOf(kind: Kind, accepted: Accepted, metadata: JsonObject, rows: JsonObject[]): JsonObject {
  return {
    kind: 'Table',
    apiVersion: accepted.metaVersion,
    metadata,
    columnDefinitions: columnDefinitions(kind, accepted.metaVersion),
    rows,
  };
}

export function documentAnswer(request: ResourceRequest, code: number, document: Document): Answer {
  return { code, body: request.accepted.encoding.document(document, isPretty(request)) };
}

export function isPretty({ accepted, info, userAgent }: ResourceRequest): boolean {
  return accepted.pretty || wantsPretty(info.query, userAgent);
}

/** A successful Status with details, for an operation that returns no object. */
export function successAnswer(request: ResourceRequest, uid: string): Answer {
  const { entry } = request.kind;
  const status: Omit<Status, 'code'> = {
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
  };
  return documentAnswer(request, 200, { value: status as unknown as JsonObject, schema: metaSchemas.status });
}

/** A successful Status without details (201), for an operation that returns no object. */
export function createdStatusAnswer(request: ResourceRequest): Answer {
  const value = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 };
  return documentAnswer(request, 201, { value, schema: metaSchemas.status });
}

const INTERACTIVE_CLIENTS = /^(?:curl|Wget|Mozilla)\//;

/** Whether JSON is indented: `?pretty` decides; without it, JSON is indented for curl, wget and browsers. */
export function wantsPretty(query: Query, userAgent: string): boolean {
  const flag = query.get('pretty');
  return flag === undefined ? INTERACTIVE_CLIENTS.test(userAgent) : parseFlag('pretty', flag);
}

/** The same for error answers: an invalid value of `?pretty` is ignored instead of rejected. */
export function wantsPrettyError(query: Query | undefined, userAgent: string): boolean {
  const flag = query?.get('pretty');
  const isValid = flag !== undefined && ['', '0', '1', 'false', 'true'].includes(flag);
  return isValid ? parseFlag('pretty', flag) : INTERACTIVE_CLIENTS.test(userAgent);
}
