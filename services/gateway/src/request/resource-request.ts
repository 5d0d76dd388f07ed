import type { Kind } from '@tidegate/kinds';
import type { RequestInfo } from '@tidegate/request-info';
import type { JsonObject } from '@tidegate/schema';
import type { TraceSpan } from '@tidegate/service-kit';
import type { Guard } from '@tidegate/wire';
import type { FastifyReply } from 'fastify';
import type { Accepted, ContentCoding } from './answer-form.ts';
import type { User } from './user.ts';

/**
 * One request for a resource, authenticated and authorized. It is plain data and a few small interfaces, so that every
 * room can use it without importing the rooms that made its parts.
 */
export interface ResourceRequest {
  readonly info: RequestInfo;
  readonly kind: Kind;
  readonly user: User;
  readonly auditId: string;
  readonly userAgent: string;
  readonly contentType: string | undefined;
  readonly accepted: Accepted;
  readonly coding: ContentCoding;
  readonly body: Buffer;
  /** undefined: the body is too small to be processed in steps */
  readonly steps: RequestSteps | undefined;
  readonly span: TraceSpan | undefined;
  /** set for a system controller: its writes are committed only while it holds its lease */
  readonly fence: Guard | undefined;
  /** undefined: no webhook converts the versions of this kind */
  readonly conversions: ObjectConversions | undefined;
  /** Warning headers of the answer */
  readonly warnings: string[];
  /** undefined: the audit policy does not record this request */
  readonly record: RequestRecord | undefined;
  /** for its metrics */
  readonly notes: RequestNotes;
}

/** The answer of a verb. Streams write to the reply themselves and return no answer. */
export interface Answer {
  readonly code: number;
  readonly body: Buffer;
}

/** Serves one verb. */
export type VerbHandler = (request: ResourceRequest, reply: FastifyReply) => Promise<Answer | undefined>;

/** The handlers of a resource, by verb. */
export type Verbs = Readonly<Record<string, VerbHandler>>;

/** The steps in which a large object is processed, so that other requests are served between them. */
export interface RequestSteps {
  do<T>(step: () => T): Promise<T>;
}

/** Runs one step of a write: at once, or, for a large object, when the scheduler of large steps allows it. */
export function inStep<T>({ steps }: Pick<ResourceRequest, 'steps'>, step: () => T): T | Promise<T> {
  return steps === undefined ? step() : steps.do(step);
}

/** The objects of one request in other versions, for kinds that a webhook converts. */
export interface ObjectConversions {
  /**
   * The object in another version, for reading only. Ends the current run of `replay` if a webhook call is needed
   * first.
   */
  converted(object: JsonObject, from: Kind, to: Kind): JsonObject;
  /** A copy of the object in another version. */
  convertedCopy(object: JsonObject, from: Kind, to: Kind): Promise<JsonObject>;
  /** Repeats `run` until all conversions that it needs are done. Warnings of unfinished runs are removed. */
  replay<T>(warnings: string[], run: () => T): Promise<T>;
}

/** The audit record of a request, as far as verbs and admission use it. */
export interface RequestRecord {
  /** The first annotation of a key is kept. */
  annotate(key: string, value: string): void;
  /** Reports the name of an object that the path does not contain. */
  named(name: string): void;
  isAtLeast(level: 'Metadata' | 'Request' | 'RequestResponse'): boolean;
}

/** Measurements of one request, for its metrics. */
export interface RequestNotes {
  /** when it was received, by performance.now */
  readonly startedMs: number;
  /** the time for which it waited for a seat */
  queuedMs: number;
  /** the time for which it waited for admission webhooks */
  webhooksMs: number;
  /** undefined: the request is not traced */
  traceId: string | undefined;
}

export function newNotes(): RequestNotes {
  return { startedMs: performance.now(), queuedMs: 0, webhooksMs: 0, traceId: undefined };
}

/** The operations of admission. */
export type Operation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';
