import { type RequestInfo, requestInfo, TALKS } from '@tidegate/request-info';
import type { Kit } from '@tidegate/service-kit';
import { ApiError, type Status } from '@tidegate/status';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { passOn } from '../aggregation/pass-on.ts';
import type { RemoteApi } from '../aggregation/remote-api.ts';
import { type CodingSettings, codingOf } from '../answer/content-coding.ts';
import { nothingHere, writeError, writeText } from '../answer/write-answer.ts';
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
import { nobody, type User } from '../request/user.ts';
import type { RequestMetrics } from '../telemetry/request-metrics.ts';
import { type Admitted, lastsLong } from './admitted.ts';
import { observe, observeOpen } from './observe.ts';
import type { OtherPaths } from './other-paths.ts';
import type { Resources } from './resources.ts';

/** The limits of connections, as far as they concern a request. */
export interface ConnectionLimits {
  /** why this connection is one too many; undefined: it is not */
  refusal(raw: FastifyRequest['raw']): string | undefined;
  /** the connection belongs to this user; undefined: the request was not authenticated */
  known(raw: FastifyRequest['raw'], user: User | undefined): void;
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

/** One request as the listener hands it over. */
interface Incoming {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** the server behind the API that serves its path, if it is not this one */
  readonly remote: RemoteApi | undefined;
  readonly connections: ConnectionLimits;
}

/** recorded in the audit log only; the client is not told why it was not authenticated */
const UNKNOWN_BECAUSE = 'authentication.tidegate/reason';

/** The life of every request, whatever its path: authenticate, record, wait for a seat, authorize, serve, count. */
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
          ? nothingHere(audit, reply)
          : await this.#inTurn({ request, reply, info, user, audit, warnings, remote, record, notes });
    } catch (error) {
      const refused = await this.#refuse({ ...incoming, info, audit, warnings }, error);
      code = refused.code;
      failure = refused.status;
      record ??= auditTrail?.begin({ raw: request.raw, auditId: audit, user: nobody, info });
      if (code === 401 && refused.cause instanceof Error) record?.annotate(UNKNOWN_BECAUSE, refused.cause.message);
    }
    const isOpen = info !== undefined && lastsLong(info);
    if (failure === undefined && isOpen) record?.answers(code, reply.raw);
    else record?.answered(code, failure);
    const { metrics, requestMetrics } = this.#ports;
    if (remote !== undefined) metrics.aggregatedRequests.inc({ api_service: remote.apiService.name, code });
    else if (info?.isResource) {
      observe(requestMetrics, { request, reply, info, notes, code, failure, lastsLong: isOpen });
    }
  }

  /** Ends a connection that is one too many with this answer. */
  #refuseConnection({ request: { raw }, reply, connections }: Incoming, audit: string, text: string): void {
    const closing = raw.httpVersionMajor === 1 ? ['Connection', 'close'] : [];
    writeText(audit, reply, 429, text, { headers: ['Retry-After', '1', ...closing] });
    connections.known(raw, undefined);
    this.#ports.auditTrail?.begin({ raw, auditId: audit, user: nobody, info: undefined })?.answered(429);
  }

  async #authenticate({ request: { raw }, connections }: Incoming): Promise<User> {
    const { authenticator, requestMetrics } = this.#ports;
    try {
      const sender = await authenticator.authenticate(raw);
      requestMetrics.authenticated(sender);
      connections.known(raw, sender);
      return sender;
    } catch (error) {
      requestMetrics.authenticationFailed(error);
      throw error;
    }
  }

  /** The user for whom the sender acts, where its headers name one. */
  async #impersonate({ raw }: FastifyRequest, sender: User, record: AuditRecord | undefined): Promise<User> {
    if (!isImpersonated(raw)) return sender;
    const user = await impersonated(raw, sender, this.#ports.authorizer);
    if (user !== sender) record?.impersonates(user);
    return user;
  }

  /**
   * Serves a request when it has a seat, and within its time. A connection between a client and another server takes no seat:
   * how long it lasts says nothing of the work that it causes here.
   */
  #inTurn(admitted: Admitted): Promise<number> {
    const { request, info, user, audit, reply, remote, notes } = admitted;
    const { limits, requestMetrics } = this.#ports;
    const takesLong = lastsLong(info);
    if (TALKS.has(info.subresource) || (remote !== undefined && takesLong)) return this.#authorized(admitted);
    const timeMs = takesLong ? limits.requestMs : timeOf(info, limits.requestMs);
    const bodyBytes = bodyBytesOf(request.raw);
    const asking = { user, info, audit, reply, bodyBytes, patienceMs: timeMs / 4 };
    if (takesLong) return limits.serve(asking, () => this.#authorized(admitted));
    const askedMs = performance.now();
    const inFlight = requestMetrics.inFlight.of(info.verb);
    const seated = async () => {
      const nowMs = performance.now();
      notes.queuedMs = nowMs - askedMs;
      inFlight.enter(nowMs);
      try {
        return await this.#authorized(admitted);
      } finally {
        inFlight.leave();
      }
    };
    return inTime(reply.raw, timeMs, () => limits.serve(asking, seated));
  }

  /** Serves a request that its user is authorized to make. */
  async #authorized(admitted: Admitted): Promise<number> {
    const { user, info, record, remote } = admitted;
    const { authorizer, requestMetrics, resources, others } = this.#ports;
    const refusal = authorizer.refusal(user, info);
    const refused = refusal && (await refusal);
    if (refused === undefined) requestMetrics.allowed();
    else requestMetrics.refused(authorizer.decide(user, info).denied === true);
    record?.decided({ ...authorizer.decide(user, info), allowed: refused === undefined });
    if (refused !== undefined) throw refused;
    if (remote !== undefined) return passOn(remote, admitted);
    if (lastsLong(info)) observeOpen(requestMetrics, admitted);
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
    if (written.code === 401) connections.known(request.raw, undefined);
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
