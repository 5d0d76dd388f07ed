import { isConverted, type Kind } from '@tidegate/kinds';
import { READS, type RequestInfo, requestInfo, TALKS } from '@tidegate/request-info';
import { type Kit, type ProbePath, probeAnswer, probePath } from '@tidegate/service-kit';
import {
  ApiError,
  methodNotAllowed,
  notFound,
  resourceNotFound,
  type Status,
  serviceUnavailable,
} from '@tidegate/status';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { passOn } from './aggregation/pass-on.ts';
import type { RemoteApi } from './aggregation/remote-api.ts';
import type { AuditRecord } from './audit/record.ts';
import { impersonated, isImpersonated } from './authn/impersonate.ts';
import { readAhead, refuseCodedBody } from './codec/decode-body.ts';
import { refuseMediaType } from './codec/media-types.ts';
import { PLAIN } from './codec/negotiate.ts';
import { RequestConversions } from './conversion/request-conversions.ts';
import type { Gateway } from './gateway.ts';
import { auditId } from './hooks/audit-id.ts';
import { contentCoding } from './hooks/content-coding.ts';
import type { Doors } from './hooks/doors.ts';
import { FENCE_HEADER, fenceOf } from './hooks/fence.ts';
import { observe, observeOpen } from './hooks/observe.ts';
import { writeAnswer, writeError, writeText } from './hooks/write-answer.ts';
import { writeDocument } from './hooks/write-document.ts';
import { dump } from './limits/dump.ts';
import { bodyBytesOf, hasBody } from './limits/incoming-bodies.ts';
import { isLargeBody } from './limits/large-steps.ts';
import { inTime, timeOf } from './limits/request-time.ts';
import type { Accepted, ContentCoding } from './request/answer-form.ts';
import { judgeParameters } from './request/query-parameters.ts';
import { newNotes, type RequestNotes, type ResourceRequest } from './request/resource-request.ts';
import { nobody, type User } from './request/user.ts';
import { handlerOf } from './verbs/dispatch.ts';
import { isQuestion } from './verbs/review.ts';

interface ServeOptions {
  gateway: Gateway;
  kit: Kit;
  doors: Doors;
}

/** A request that has passed authentication and authorization. */
interface Admitted {
  request: FastifyRequest;
  reply: FastifyReply;
  info: RequestInfo;
  user: User;
  audit: string;
  /** Warning headers for the answer, whatever it is */
  warnings: string[];
  /** who serves what the request is about, where it is another server */
  remote: RemoteApi | undefined;
  record: AuditRecord | undefined;
  notes: RequestNotes;
}

const NOTHING = Buffer.alloc(0);
/** said in the record of a request, and to nobody else */
const UNKNOWN_BECAUSE = 'authentication.tidegate/reason';

/** The life of a request, whatever its path: who is it, what is it about, may they, and then its verb. */
export async function serve(
  options: ServeOptions,
  request: FastifyRequest,
  reply: FastifyReply,
  remote?: RemoteApi,
): Promise<void> {
  const notes = newNotes();
  options.kit.load.count();
  const audit = auditId(request.headers['audit-id']);
  const warnings: string[] = [];
  let info: RequestInfo | undefined;
  let code: number;
  let failure: Status | undefined;
  let record: AuditRecord | undefined;
  const surplus = options.doors.refusal(request.raw);
  if (surplus !== undefined) {
    tooMany(options, { request, reply, audit }, surplus);
    return;
  }
  try {
    info = requestInfo(request.method, request.raw.url ?? '/');
    const { authorizer, auditTrail } = options.gateway;
    const sender = await senderOf(options.gateway, request);
    options.doors.known(request.raw, sender);
    record = auditTrail?.begin({ raw: request.raw, auditId: audit, user: sender, info });
    if (record !== undefined) await auditTrail?.received(record);
    const user = isImpersonated(request.raw) ? await impersonated(request.raw, sender, authorizer) : sender;
    if (user !== sender) record?.impersonates(user);
    code =
      info === undefined
        ? nothingHere(audit, reply)
        : await inTurn(options, { request, reply, info, user, audit, warnings, remote, record, notes });
  } catch (error) {
    if (error instanceof ApiError && error.code === 401) await options.gateway.limits.heardStranger();
    const coding = info && codingOf(options.gateway, request, info);
    const written = await writeError(
      { auditId: audit, accept: request.headers.accept, coding, warnings, query: info?.query, ...options.gateway },
      reply,
      error,
    );
    code = written.code;
    if (code === 401) options.doors.known(request.raw, undefined);
    failure = written.status;
    record ??= options.gateway.auditTrail?.begin({ raw: request.raw, auditId: audit, user: nobody, info });
    if (code === 401 && written.cause instanceof Error) record?.annotate(UNKNOWN_BECAUSE, written.cause.message);
    if (code >= 500 && written.cause !== undefined) {
      options.kit.log.error({ err: written.cause, path: info?.path, auditId: audit }, 'A request failed.');
    }
  }
  if (failure === undefined && info !== undefined && lastsLong(info)) record?.answers(code, reply.raw);
  else record?.answered(code, failure);
  if (remote !== undefined) {
    options.gateway.metrics.aggregatedRequests.inc({ api_service: remote.apiService.name, code });
  } else if (info?.isResource) {
    observe(options.gateway, { request, reply, info, notes, code, failure, lastsLong: lastsLong(info) });
  }
}

async function senderOf({ authenticator, requestMetrics }: Gateway, { raw }: FastifyRequest): Promise<User> {
  try {
    const sender = await authenticator.authenticate(raw);
    requestMetrics.knows(sender);
    return sender;
  } catch (error) {
    requestMetrics.doesNotKnow(error);
    throw error;
  }
}

/** On a connection that is one too many: it ends with this answer. */
function tooMany(
  { doors, gateway }: ServeOptions,
  { request, reply, audit }: Pick<Admitted, 'request' | 'reply' | 'audit'>,
  text: string,
): void {
  const closing = request.raw.httpVersionMajor === 1 ? ['Connection', 'close'] : [];
  writeText(audit, reply, 429, text, { headers: ['Retry-After', '1', ...closing] });
  doors.known(request.raw, undefined);
  gateway.auditTrail?.begin({ raw: request.raw, auditId: audit, user: nobody, info: undefined })?.answered(429);
}

/** How long these take is up to those who talk. */
function lastsLong({ verb, subresource }: RequestInfo): boolean {
  return verb === 'watch' || TALKS.has(subresource);
}

function codingOf(gateway: Gateway, { headers }: FastifyRequest, info: RequestInfo): ContentCoding {
  return contentCoding(gateway, info, String(headers['accept-encoding'] ?? ''));
}

/** What is a talk between others holds no seat: how long it takes says nothing of how much it is to do. */
function inTurn(options: ServeOptions, admitted: Admitted): Promise<number> {
  const { request, info, user, audit, reply, remote, notes } = admitted;
  const { limits } = options.gateway;
  const takesLong = lastsLong(info);
  if (TALKS.has(info.subresource) || (remote !== undefined && takesLong)) return admit(options, admitted);
  const timeMs = takesLong ? limits.requestMs : timeOf(info, limits.requestMs);
  const bodyBytes = bodyBytesOf(request.raw);
  const asking = { user, info, audit, reply, bodyBytes, patienceMs: timeMs / 4 };
  const askedMs = performance.now();
  if (takesLong) return limits.serve(asking, () => admit(options, admitted));
  const inFlight = options.gateway.requestMetrics.inFlight.of(info.verb);
  const seated = async () => {
    const nowMs = performance.now();
    notes.queuedMs = nowMs - askedMs;
    inFlight.enter(nowMs);
    try {
      return await admit(options, admitted);
    } finally {
      inFlight.leave();
    }
  };
  return inTime(reply.raw, timeMs, () => limits.serve(asking, seated));
}

async function admit(options: ServeOptions, admitted: Admitted): Promise<number> {
  const refusal = options.gateway.authorizer.refusal(admitted.user, admitted.info);
  const refused = refusal && (await refusal);
  const { requestMetrics, authorizer } = options.gateway;
  if (refused === undefined) requestMetrics.allowed();
  else requestMetrics.refused(authorizer.decide(admitted.user, admitted.info).denied === true);
  // what was let in is told as that, also where another has said so, or nobody had to
  admitted.record?.decided({
    ...options.gateway.authorizer.decide(admitted.user, admitted.info),
    allowed: refused === undefined,
  });
  if (refused !== undefined) throw refused;
  if (admitted.remote !== undefined) return passOn(admitted.remote, admitted);
  if (lastsLong(admitted.info)) observeOpen(options.gateway, admitted);
  return admitted.info.isResource ? serveResource(options, admitted) : serveOther(options, admitted);
}

function nothingHere(audit: string, reply: FastifyReply): number {
  return writeText(audit, reply, 404, '404 page not found\n');
}

async function serveResource({ gateway, kit }: ServeOptions, admitted: Admitted): Promise<number> {
  const { request, reply, info, user, audit, warnings, record, notes } = admitted;
  const kind = gateway.registry.find(info.group, info.version, info.resource) ?? (await definedKind(gateway, info));
  // a resource of the other scope is not there
  const otherScope = kind !== undefined && !kind.entry.namespaced && isInNamespace(info);
  const handler = kind === undefined || otherScope ? undefined : handlerOf({ info, kind });
  if (kind === undefined || handler === undefined) {
    if (!gateway.apiServices.isKnown) throw serviceUnavailable('who serves this group is not known yet');
    // as in Kubernetes, an unknown subresource of a custom object is told as if the object were not there
    const isCustom = kind?.entry.custom !== undefined && kind.entry.namespaced === (info.namespace !== '');
    if (isCustom && info.subresource !== '') throw notFound(kind.entry, info.name);
    if (gateway.registry.serves(info.group, info.version)) throw resourceNotFound();
    return nothingHere(audit, reply);
  }
  const { headers } = request;
  // now it is known who sends it, and that they may
  const body =
    takesBody(info) && hasBody(request.raw) ? await gateway.limits.bodies.read(request.raw, user.name) : NOTHING;
  const span = kit.tracing.request(`${info.verb} ${info.resource}`, headers.traceparent as string | undefined, {
    'http.request.method': request.method,
    'url.path': info.path,
    'tidegate.verb': info.verb,
  });
  notes.traceId = span?.traceId;
  const resourceRequest: ResourceRequest = {
    info,
    kind,
    user,
    auditId: audit,
    userAgent: headers['user-agent'] ?? '',
    contentType: headers['content-type'],
    accepted: acceptedBy(gateway, { info, kind }, headers.accept),
    coding: codingOf(gateway, request, info),
    body,
    steps: gateway.largeSteps.of(isLargeBody(body, headers['content-type'])),
    span,
    fence: fenceOf(user, headers[FENCE_HEADER]),
    conversions: !isConverted(kind) ? undefined : new RequestConversions(gateway.conversions),
    warnings,
    record,
    notes,
  };
  record?.about(resourceRequest, reply.raw);
  if (!TALKS.has(info.subresource)) judgeParameters(info);
  const { deprecated } = kind.entry;
  if (deprecated !== undefined) warnings.push(deprecated);
  refuseMediaType(gateway.gates, resourceRequest);
  if (resourceRequest.body.length > 0) refuseCodedBody(headers['content-encoding']);
  const ended = kit.loop.begin({ words: `${info.verb} ${info.path} by ${user.name}`, bytes: body.length });
  const isLarge = resourceRequest.steps !== undefined;
  const served = isLarge || lastsLong(info) ? undefined : gateway.largeSteps.besides();
  try {
    // who is to be asked must be known before anything is written
    if (!READS.has(info.verb)) await gateway.admission.known();
    if (isLarge) await readAhead(gateway.yaml, body, resourceRequest.contentType);
    const answer = await handler(gateway, resourceRequest, reply);
    if (answer !== undefined) await writeAnswer(resourceRequest, reply, answer);
    const code = answer?.code ?? 200;
    span?.end();
    if (span !== undefined)
      kit.log.info({ traceId: span.traceId, verb: info.verb, path: info.path, code }, 'A traced request was served.');
    return code;
  } catch (error) {
    span?.end(error instanceof Error ? error.message : String(error));
    throw error;
  } finally {
    served?.();
    ended();
  }
}

/** What reads, talks, or is sent on has no body for this server. */
function takesBody({ verb, subresource }: RequestInfo): boolean {
  return !READS.has(verb) && !TALKS.has(subresource);
}

/** The form of the answer. What is behind a proxy or a stream answers in its own form, so any Accept will do there. */
function acceptedBy(
  { negotiator }: Gateway,
  { info, kind }: Pick<ResourceRequest, 'info' | 'kind'>,
  accept: string | undefined,
): Accepted {
  const { subresource } = info;
  if (TALKS.has(subresource) && subresource !== 'log') return PLAIN;
  return negotiator.negotiate(accept, {
    isCustom: kind.entry.custom !== undefined,
    isQuestion: isQuestion(kind),
    isText: subresource === 'log',
  });
}

/** The path of a namespace leads through itself, and not through another one. */
function isInNamespace({ namespace, resource, path }: RequestInfo): boolean {
  return namespace !== '' && (resource !== 'namespaces' || THROUGH_ANOTHER.test(path));
}

const THROUGH_ANOTHER = /\/namespaces\/[^/]+\/namespaces(\/|$)/;

/** A kind that is not known here may have been defined a moment ago. The group of a custom kind has a dot. */
async function definedKind(gateway: Gateway, { group, version, resource }: RequestInfo): Promise<Kind | undefined> {
  if (!group.includes('.')) return undefined;
  await gateway.customKinds.latest();
  return gateway.registry.find(group, version, resource);
}

async function serveOther({ gateway, kit }: ServeOptions, admitted: Admitted): Promise<number> {
  const { request, reply, info, audit } = admitted;
  const probed = probePath(info.path);
  // by whatever method: who may use it is said by roles
  if (probed !== undefined) return serveProbe(kit, admitted, probed);
  if (request.method !== 'GET' && request.method !== 'HEAD') throw methodNotAllowed();
  if (info.path === '/metrics') {
    const { text, contentType } = await kit.metrics.exposition(request.headers.accept);
    return writeText(audit, reply, 200, text, { contentType });
  }
  const keys = gateway.serviceAccounts?.document(info.path);
  if (keys !== undefined) return writeText(audit, reply, 200, keys.text, { contentType: keys.type });
  const dumped = gateway.limits.turns && dump(gateway.limits.turns.seats, info);
  if (dumped !== undefined) return writeText(audit, reply, 200, dumped);
  const document = await discovered(gateway, info.path, request.headers.accept);
  if (document === undefined) return nothingHere(audit, reply);
  const coding = contentCoding(gateway, info, String(request.headers['accept-encoding'] ?? ''));
  return writeDocument({ request, reply, audit, info, coding }, document);
}

function serveProbe(kit: Kit, { reply, info, audit }: Admitted, { endpoint, name }: ProbePath): number {
  const query = { verbose: info.query.get('verbose') !== undefined, exclude: info.query.all('exclude') };
  const answer = probeAnswer(kit.checks.at(endpoint), name, query);
  return answer === undefined ? nothingHere(audit, reply) : writeText(audit, reply, answer.code, answer.text);
}

const DISCOVERED = /^\/(apis|openapi)(\/|$)/;

/** Custom kinds are told of as well; that there is nothing at a path is told only when it is certain. */
async function discovered({ customKinds, apiServices, discovery }: Gateway, path: string, accept: string | undefined) {
  if (!DISCOVERED.test(path)) return discovery.document(path, accept);
  await customKinds.known();
  await apiServices.known();
  const document = await discovery.document(path, accept);
  if (document !== undefined) return document;
  await customKinds.latest();
  return discovery.document(path, accept);
}
