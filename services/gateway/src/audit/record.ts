import type { ServerResponse } from 'node:http';
import type { Json, JsonObject } from '@tidegate/schema';
import type { Status } from '@tidegate/status';
import type { Decision } from '../authz/policy.ts';
import type { RequestRecord, ResourceRequest } from '../request/resource-request.ts';
import { type User, userInfo } from '../request/user.ts';
import { type AnswerTap, tapAnswer } from './answer-tap.ts';
import { answeredBody, sentBody, withoutOwners } from './bodies.ts';
import { eventHead, momentText, type Received } from './event.ts';
import { type Level, levels, type Stage, type Wanted } from './policy.ts';

export interface RecordOptions {
  readonly wanted: Wanted;
  readonly maxBytes: number;
  /** resolves when the line is written */
  readonly write: (line: string) => Promise<void>;
}

const SUCCESS_BELOW = 400;

/**
 * Records one request, from its arrival to the end of its answer.
 *
 * Invariant: each stage is recorded once, and bodies only at the levels that include them.
 */
export class AuditRecord implements RequestRecord {
  readonly #options: RecordOptions;
  readonly #head: ReturnType<typeof eventHead>;
  readonly #receivedAt = momentText(performance.timeOrigin + performance.now());
  readonly #annotations: Record<string, string> = {};
  #impersonated: JsonObject | undefined;
  #request: ResourceRequest | undefined;
  #tap: AnswerTap | undefined;
  #sent: Json | undefined;

  constructor(received: Received, options: RecordOptions) {
    this.#options = options;
    this.#head = eventHead(received);
  }

  /** Recorded before the request is processed. */
  received(): Promise<void> {
    return this.#record('RequestReceived', {});
  }

  isAtLeast(level: Level): boolean {
    return levels.indexOf(this.#options.wanted.level) >= levels.indexOf(level);
  }

  /** The user whom the request impersonates. */
  impersonates(user: User): void {
    this.#impersonated = userInfo(user);
  }

  /** The decision of authorization, and its reason. */
  decided({ allowed, reason }: Decision): void {
    this.annotate('authorization.k8s.io/decision', allowed ? 'allow' : 'forbid');
    this.annotate('authorization.k8s.io/reason', reason);
  }

  /** Sets an annotation, unless it is set already. */
  annotate(key: string, value: string): void {
    this.#annotations[key] ??= value;
  }

  /** Sets the resource of the request, and begins to record the bodies. */
  about(request: ResourceRequest, raw: ServerResponse): void {
    this.#request = request;
    if (this.isAtLeast('Request')) this.#sent = sentBody(request);
    if (this.isAtLeast('RequestResponse') && request.info.verb !== 'watch') {
      this.#tap = tapAnswer(raw, this.#options.maxBytes);
    }
  }

  /** Sets the name of the object where the path does not have it. */
  named(name: string): void {
    const { objectRef } = this.#head;
    if (objectRef !== undefined && name !== '') objectRef.name ??= name;
  }

  /** The answer is complete. */
  answered(code: number, failure?: Status): void {
    this.#recordQuietly('ResponseComplete', { responseStatus: statusOf(code, failure), ...this.#answerBody(failure) });
  }

  /** The answer has begun and stays open, as that of a watch. */
  answers(code: number, raw: ServerResponse): void {
    const responseStatus = statusOf(code);
    this.#recordQuietly('ResponseStarted', { responseStatus });
    const end = () => this.#recordQuietly('ResponseComplete', { responseStatus });
    if (raw.destroyed || raw.writableEnded) end();
    else raw.once('close', end);
  }

  #answerBody(failure: Status | undefined): { responseObject?: Json } {
    if (!this.isAtLeast('RequestResponse')) return {};
    if (failure !== undefined) return { responseObject: failure as unknown as JsonObject };
    const written = this.#tap?.written;
    if (written === undefined || this.#request === undefined) {
      if (this.#tap?.isTooLong) this.annotate('audit.k8s.io/truncated', 'true');
      return {};
    }
    const body = answeredBody(this.#request, written, this.#options.maxBytes);
    return body === undefined ? {} : { responseObject: body };
  }

  #recordQuietly(stage: Stage, said: JsonObject): void {
    // a write error: the trail has counted and logged it, and the request is already answered
    this.#record(stage, said).catch(() => {});
  }

  async #record(stage: Stage, said: JsonObject & { responseObject?: Json }): Promise<void> {
    const { level, omitStages } = this.#options.wanted;
    if (omitStages.has(stage)) return;
    const { responseObject, ...rest } = said;
    const bodies = {
      ...(this.#sent !== undefined && { requestObject: this.#shown(this.#sent) }),
      ...(responseObject !== undefined && { responseObject: this.#shown(responseObject) }),
    };
    const line = (shown: JsonObject) =>
      `${JSON.stringify({
        kind: 'Event',
        apiVersion: 'audit.k8s.io/v1',
        level,
        stage,
        ...this.#head,
        ...(this.#impersonated !== undefined && { impersonatedUser: this.#impersonated }),
        ...rest,
        ...shown,
        requestReceivedTimestamp: this.#receivedAt,
        stageTimestamp: momentText(performance.timeOrigin + performance.now()),
        ...(Object.keys(this.#annotations).length > 0 && { annotations: this.#annotations }),
      })}\n`;
    const whole = line(bodies);
    if (whole.length <= this.#options.maxBytes) return this.#options.write(whole);
    this.annotate('audit.k8s.io/truncated', 'true');
    return this.#options.write(line({}));
  }

  #shown(body: Json): Json {
    return this.#options.wanted.omitManagedFields ? withoutOwners(body) : body;
  }
}

function statusOf(code: number, failure?: Status): JsonObject {
  if (failure !== undefined) {
    const { kind: _kind, apiVersion: _apiVersion, ...said } = failure;
    return said as unknown as JsonObject;
  }
  return { metadata: {}, ...(code >= SUCCESS_BELOW && { status: 'Failure' }), code };
}
