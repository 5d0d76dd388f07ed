import { LONG_RUNNING_SUBRESOURCES, type RequestInfo, requestInfo } from '@tidegate/request-info';
import type { Kit } from '@tidegate/service-kit';
import { ApiError, type Status } from '@tidegate/status';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { passOn } from '../aggregation/pass-on.ts';
import type { RemoteApi } from '../aggregation/remote-api.ts';
import { type CodingSettings, codingOf } from '../answer/content-coding.ts';
import { pathNotFound, writeError, writeText } from '../answer/write-answer.ts';
import type { AuditTrail } from '../audit/audit-trail.ts';
import type { AuditRecord } from '../audit/record.ts';
import type { Authenticator } from '../authn/authenticator.ts';
import { impersonated, isImpersonated } from '../authn/impersonate.ts';
import type { Authorizer } from '../authz/authorizer.ts';
import type { Negotiator } from '../codec/negotiate.ts';
import type { FlowControl } from '../flow/flow-control.ts';
import { bodyBytesOf } from '../limits/incoming-bodies.ts';
import { inTime, timeOf } from '../limits/request-time.ts';
import type { GatewayMetrics } from '../metrics.ts';
import { auditId } from '../request/headers.ts';
import { newNotes } from '../request/resource-request.ts';
import { type User, unknownUser } from '../request/user.ts';
import type { RequestMetrics } from '../telemetry/request-metrics.ts';
import { type Admitted, isLongRunning } from './admitted.ts';
import { observe, observeOpen } from './observe.ts';
import type { OtherPaths } from './other-paths.ts';
import type { Resources } from './resources.ts';

/** The limits of connections, as far as requests use them. */
export interface ConnectionLimits {
  /** the error if the connection exceeds its limit; undefined: it does not */
  refusal(raw: FastifyRequest['raw']): string | undefined;
  /** reports the user of the connection; undefined: authentication failed */
  setUser(raw: FastifyRequest['raw'], user: User | undefined): void;
}

interface RequestServerPorts {
  readonly authenticator: Pick<Authenticator, 'authenticate'>;
  readonly authorizer: Authorizer;
  /** undefined: no request is recorded */
  readonly auditTrail: AuditTrail | undefined;
  readonly limits: FlowControl;
  readonly resources: Pick<Resources, 'serve'>;
  readonly others: Pick<OtherPaths, 'serve'>;
  readonly requestMetrics: RequestMetrics;
  readonly metrics: Pick<GatewayMetrics, 'aggregatedRequests'>;
  readonly negotiator: Negotiator;
  readonly coding: CodingSettings;
  readonly kit: Pick<Kit, 'log' | 'load'>;
}

/** A request from the listener. */
interface Incoming {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** the aggregated server that serves the path; undefined: this one */
  readonly remote: RemoteApi | undefined;
  readonly connections: ConnectionLimits;
}

/** the annotation with the reason of a 401; it is in the audit log only, not in the answer */
const UNAUTHENTICATED_REASON = 'authentication.tidegate/reason';

/** Handles every request: authenticate, record, wait for a seat, authorize, serve, count. */
export class RequestServer {
  readonly #ports: RequestServerPorts;

  constructor(ports: RequestServerPorts) {
    this.#ports = ports;
  }

  async serve(incoming: Incoming): Promise<void> {
    const { request, reply, remote, connections } = incoming;
    const { auditTrail, kit } = this.#ports;
    const notes = newNotes();
    kit.load.count();
    const audit = auditId(request.headers['audit-id']);
    const surplus = connections.refusal(request.raw);
    if (surplus !== undefined) {
      this.#refuseConnection(incoming, audit, surplus);
      return;
    }
    const warnings: string[] = [];
    let info: RequestInfo | undefined;
    let record: AuditRecord | undefined;
    let code: number;
    let failure: Status | undefined;
    try {
      info = requestInfo(request.method, request.raw.url ?? '/');
      const sender = await this.#authenticate(incoming);
      record = auditTrail?.begin({ raw: request.raw, auditId: audit, user: sender, info });
      if (record !== undefined) await auditTrail?.received(record);
      const user = await this.#impersonate(request, sender, record);
      code =
        info === undefined
          ? pathNotFound(audit, reply)
          : await this.#withSeat({ request, reply, info, user, audit, warnings, remote, record, notes });
    } catch (error) {
      const refused = await this.#refuse({ ...incoming, info, audit, warnings }, error);
      code = refused.code;
      failure = refused.status;
      record ??= auditTrail?.begin({ raw: request.raw, auditId: audit, user: unknownUser, info });
      if (code === 401 && refused.cause instanceof Error)
        record?.annotate(UNAUTHENTICATED_REASON, refused.cause.message);
    }
    const isOpen = info !== undefined && isLongRunning(info);
    if (failure === undefined && isOpen) record?.answers(code, reply.raw);
    else record?.answered(code, failure);
    const { metrics, requestMetrics } = this.#ports;
    if (remote !== undefined) metrics.aggregatedRequests.inc({ api_service: remote.apiService.name, code });
    else if (info?.isResource) {
      observe(requestMetrics, { request, reply, info, notes, code, failure, isLongRunning: isOpen });
    }
  }

  /** Answers on a connection above the limit, and ends the connection. */
  #refuseConnection({ request: { raw }, reply, connections }: Incoming, audit: string, text: string): void {
    const closing = raw.httpVersionMajor === 1 ? ['Connection', 'close'] : [];
    writeText(audit, reply, 429, text, { headers: ['Retry-After', '1', ...closing] });
    connections.setUser(raw, undefined);
    this.#ports.auditTrail?.begin({ raw, auditId: audit, user: unknownUser, info: undefined })?.answered(429);
  }

  async #authenticate({ request: { raw }, connections }: Incoming): Promise<User> {
    const { authenticator, requestMetrics } = this.#ports;
    try {
      const sender = await authenticator.authenticate(raw);
      requestMetrics.authenticated(sender);
      connections.setUser(raw, sender);
      return sender;
    } catch (error) {
      requestMetrics.authenticationFailed(error);
      throw error;
    }
  }

  /** The impersonated user, if the headers name one, else the sender. */
  async #impersonate({ raw }: FastifyRequest, sender: User, record: AuditRecord | undefined): Promise<User> {
    if (!isImpersonated(raw)) return sender;
    const user = await impersonated(raw, sender, this.#ports.authorizer);
    if (user !== sender) record?.impersonates(user);
    return user;
  }

  /**
   * Serves a request within its timeout, after it got a seat. Streams take no seat: their duration says nothing about
   * their load on this process.
   */
  #withSeat(admitted: Admitted): Promise<number> {
    const { request, info, user, audit, reply, remote, notes } = admitted;
    const { limits, requestMetrics } = this.#ports;
    const takesLong = isLongRunning(info);
    if (LONG_RUNNING_SUBRESOURCES.has(info.subresource) || (remote !== undefined && takesLong))
      return this.#authorized(admitted);
    const timeMs = takesLong ? limits.requestMs : timeOf(info, limits.requestMs);
    const bodyBytes = bodyBytesOf(request.raw);
    const flowRequest = { user, info, audit, reply, bodyBytes, maxWaitMs: timeMs / 4 };
    if (takesLong) return limits.serve(flowRequest, () => this.#authorized(admitted));
    const queuedAtMs = performance.now();
    const inFlight = requestMetrics.inFlight.of(info.verb);
    const seated = async () => {
      const nowMs = performance.now();
      notes.queuedMs = nowMs - queuedAtMs;
      inFlight.enter(nowMs);
      try {
        return await this.#authorized(admitted);
      } finally {
        inFlight.leave();
      }
    };
    return inTime(reply.raw, timeMs, () => limits.serve(flowRequest, seated));
  }

  /** Authorizes and serves a request. */
  async #authorized(admitted: Admitted): Promise<number> {
    const { user, info, record, remote } = admitted;
    const { authorizer, requestMetrics, resources, others } = this.#ports;
    const refusal = authorizer.refusal(user, info);
    const refused = refusal && (await refusal);
    if (refused === undefined) requestMetrics.allowed();
    else requestMetrics.refused(authorizer.decideNow(user, info).denied === true);
    record?.decided({ ...authorizer.decideNow(user, info), allowed: refused === undefined });
    if (refused !== undefined) throw refused;
    if (remote !== undefined) return passOn(remote, admitted);
    if (isLongRunning(info)) observeOpen(requestMetrics, admitted);
    return info.isResource ? resources.serve(admitted) : others.serve(admitted);
  }

  /** Answers with an error. */
  async #refuse({ request, reply, info, audit, warnings, connections }: Refused, error: unknown): Promise<ApiError> {
    const { limits, negotiator, kit, coding: settings } = this.#ports;
    if (error instanceof ApiError && error.code === 401) await limits.delayUnauthenticated();
    const coding = info && codingOf(settings, request, info);
    const { accept } = request.headers;
    const written = await writeError(
      { auditId: audit, accept, coding, warnings, query: info?.query, negotiator },
      reply,
      error,
    );
    if (written.code === 401) connections.setUser(request.raw, undefined);
    if (written.code >= 500 && written.cause !== undefined) {
      kit.log.error({ err: written.cause, path: info?.path, auditId: audit }, 'A request failed.');
    }
    return written;
  }
}

interface Refused extends Incoming {
  readonly info: RequestInfo | undefined;
  readonly audit: string;
  readonly warnings: readonly string[];
}
