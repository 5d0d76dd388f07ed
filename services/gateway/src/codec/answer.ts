import { fromStored, type Kind, metaSchemas } from '@tidegate/kinds';
import { parseFlag, type Query } from '@tidegate/request-info';
import { type JsonObject, parseOwnJson } from '@tidegate/schema';
import type { Status } from '@tidegate/status';
import type { Accepted, Document } from '../request/answer-form.ts';
import type { Answer, ResourceRequest } from '../request/resource-request.ts';
import { columnDefinitions, partialObject, tableRow } from './object-form.ts';

/** One object in the form that the client asked for. */
export function objectAnswer(request: ResourceRequest, code: number, json: Buffer): Answer {
  if (isAsStored(request)) return { code, body: json };
  return documentAnswer(request, code, formed(request, parseOwnJson(json)));
}

/** The client wants the bytes as they are stored. */
export function isAsStored(request: ResourceRequest): boolean {
  const { accepted, kind } = request;
  const isSameForm = kind.stored === kind && accepted.encoding.name === 'json' && accepted.as === 'object';
  return isSameForm && !isPretty(request);
}

function formed({ kind, accepted, info }: ResourceRequest, object: JsonObject): Document {
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
  return accepted.pretty || isForPeople(info.query, userAgent);
}

/** A success that has no object to show. */
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

/** Something was done to an object, and there is nothing to show but that. */
export function doneAnswer(request: ResourceRequest): Answer {
  const value = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 };
  return documentAnswer(request, 201, { value, schema: metaSchemas.status });
}

const PROGRAMS_OF_PEOPLE = /^(?:curl|Wget|Mozilla)\//;

/** Whether JSON is indented: as `?pretty` says, and where it says nothing, for programs that show it to people. */
export function isForPeople(query: Query, userAgent: string): boolean {
  const asked = query.get('pretty');
  return asked === undefined ? PROGRAMS_OF_PEOPLE.test(userAgent) : parseFlag('pretty', asked);
}

/** The same of an answer to a request that may be refused because of its query. */
export function isRefusalForPeople(query: Query | undefined, userAgent: string): boolean {
  const asked = query?.get('pretty');
  const isFlag = asked !== undefined && ['', '0', '1', 'false', 'true'].includes(asked);
  return isFlag ? parseFlag('pretty', asked) : PROGRAMS_OF_PEOPLE.test(userAgent);
}
