import type { IncomingHttpHeaders } from 'node:http';
import type { FeatureGates } from '@tidegate/feature-gates';
import { isConverted, type Kind, type Registry } from '@tidegate/kinds';
import { READS, type RequestInfo, TALKS } from '@tidegate/request-info';
import type { Kit } from '@tidegate/service-kit';
import { notFound, resourceNotFound, serviceUnavailable } from '@tidegate/status';
import type { FastifyReply } from 'fastify';
import type { Admission } from '../admission/admission.ts';
import type { ApiServices } from '../aggregation/api-services.ts';
import { type CodingSettings, codingOf } from '../answer/content-coding.ts';
import { nothingHere, writeAnswer } from '../answer/write-answer.ts';
import { readAhead } from '../codec/decode-body.ts';
import type { YamlReader } from '../codec/large-yaml/yaml-reader.ts';
import { refuseCodedBody, refuseMediaType } from '../codec/media-types.ts';
import { type Negotiator, PLAIN } from '../codec/negotiate.ts';
import type { Conversions } from '../conversion/conversions.ts';
import { RequestConversions } from '../conversion/request-conversions.ts';
import { hasBody, type IncomingBodies } from '../limits/incoming-bodies.ts';
import { isLargeBody, type LargeSteps } from '../limits/large-steps.ts';
import type { CustomKinds } from '../live/custom-kinds.ts';
import type { Accepted } from '../request/answer-form.ts';
import { FENCE_HEADER, fenceOf } from '../request/headers.ts';
import { judgeParameters } from '../request/query-parameters.ts';
import type { ResourceRequest, VerbHandler } from '../request/resource-request.ts';
import type { Dispatch } from '../verbs/dispatch.ts';
import { isQuestion } from '../verbs/review.ts';
import { type Admitted, lastsLong } from './admitted.ts';

const NOTHING = Buffer.alloc(0);

interface ResourcesPorts {
  readonly registry: Pick<Registry, 'find' | 'serves'>;
  readonly customKinds: Pick<CustomKinds, 'latest'>;
  readonly apiServices: Pick<ApiServices, 'isKnown'>;
  readonly dispatch: Pick<Dispatch, 'handlerOf'>;
  readonly bodies: Pick<IncomingBodies, 'read'>;
  readonly largeSteps: LargeSteps;
  readonly yaml: YamlReader;
  readonly admission: Pick<Admission, 'known'>;
  readonly conversions: Conversions;
  readonly negotiator: Negotiator;
  readonly gates: FeatureGates;
  readonly coding: CodingSettings;
  readonly kit: Pick<Kit, 'tracing' | 'loop' | 'log'>;
}

/** Serves requests for resources: finds the kind, reads the body, and hands both to the verb. */
export class Resources {
  readonly #ports: ResourcesPorts;

  constructor(ports: ResourcesPorts) {
    this.#ports = ports;
  }

  async serve(admitted: Admitted): Promise<number> {
    const { info, record, reply } = admitted;
    const found = await this.#find(info);
    if (found.handler === undefined) return this.#missing(admitted, found.kind);
    const request = await this.#describe(admitted, found.kind);
    record?.about(request, reply.raw);
    this.#check(request, admitted.request.headers);
    return this.#run(found.handler, request, reply);
  }

  /** The kind and the handler of a request; without a handler where there is nothing at the path. */
  async #find(info: RequestInfo): Promise<Found> {
    const { registry, dispatch } = this.#ports;
    const { group, version, resource } = info;
    const kind = registry.find(group, version, resource) ?? (await definedKind(this.#ports, info));
    if (kind === undefined) return { kind, handler: undefined };
    const isOfOtherScope = !kind.entry.namespaced && isInNamespace(info);
    const handler = isOfOtherScope ? undefined : dispatch.handlerOf({ info, kind });
    return handler === undefined ? { kind, handler } : { kind, handler };
  }

  #missing({ info, reply, audit }: Admitted, kind: Kind | undefined): number {
    const { apiServices, registry } = this.#ports;
    if (!apiServices.isKnown) {
      throw serviceUnavailable('the API services are not loaded yet, so it is not known which server has this group');
    }
    // as in Kubernetes, an unknown subresource of a custom object is reported as if the object did not exist
    const isCustom = kind?.entry.custom !== undefined && kind.entry.namespaced === (info.namespace !== '');
    if (isCustom && info.subresource !== '') throw notFound(kind.entry, info.name);
    if (registry.serves(info.group, info.version)) throw resourceNotFound();
    return nothingHere(audit, reply);
  }

  /** Reads the body, now that its sender is authenticated and authorized, and describes the request for the verb. */
  async #describe(admitted: Admitted, kind: Kind): Promise<ResourceRequest> {
    const { request, info, user, audit, warnings, record, notes } = admitted;
    const { bodies, negotiator, coding, conversions, largeSteps, kit } = this.#ports;
    const { headers, raw } = request;
    const body = takesBody(info) && hasBody(raw) ? await bodies.read(raw, user.name) : NOTHING;
    const span = kit.tracing.request(`${info.verb} ${info.resource}`, headers.traceparent as string | undefined, {
      'http.request.method': request.method,
      'url.path': info.path,
      'tidegate.verb': info.verb,
    });
    notes.traceId = span?.traceId;
    return {
      info,
      kind,
      user,
      auditId: audit,
      userAgent: headers['user-agent'] ?? '',
      contentType: headers['content-type'],
      accepted: acceptedBy(negotiator, { info, kind }, headers.accept),
      coding: codingOf(coding, request, info),
      body,
      steps: largeSteps.of(isLargeBody(body, headers['content-type'])),
      span,
      fence: fenceOf(user, headers[FENCE_HEADER]),
      conversions: isConverted(kind) ? new RequestConversions(conversions) : undefined,
      warnings,
      record,
      notes,
    };
  }

  /** Rejects parameters and media types that the verb does not take. */
  #check(request: ResourceRequest, headers: IncomingHttpHeaders): void {
    const { info, kind, warnings, body } = request;
    if (!TALKS.has(info.subresource)) judgeParameters(info);
    const { deprecated } = kind.entry;
    if (deprecated !== undefined) warnings.push(deprecated);
    refuseMediaType(this.#ports.gates, request);
    if (body.length > 0) refuseCodedBody(headers['content-encoding']);
  }

  async #run(handler: VerbHandler, request: ResourceRequest, reply: FastifyReply): Promise<number> {
    const { info, user, body, span, steps, contentType } = request;
    const { kit, largeSteps, admission, yaml } = this.#ports;
    const ended = kit.loop.begin({ words: `${info.verb} ${info.path} by ${user.name}`, bytes: body.length });
    const isLarge = steps !== undefined;
    const served = isLarge || lastsLong(info) ? undefined : largeSteps.besides();
    try {
      // no write is admitted before all webhooks and policies are loaded
      if (!READS.has(info.verb)) await admission.known();
      if (isLarge) await readAhead(yaml, body, contentType);
      const answer = await handler(request, reply);
      if (answer !== undefined) await writeAnswer(request, reply, answer);
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
}

type Found =
  | { readonly kind: Kind; readonly handler: VerbHandler }
  | { readonly kind: Kind | undefined; readonly handler: undefined };

/** Reads have no body, and the body of a forwarded request is not for this server. */
function takesBody({ verb, subresource }: RequestInfo): boolean {
  return !READS.has(verb) && !TALKS.has(subresource);
}

/** The form of the answer. What is behind a proxy or a stream answers in its own form, so any Accept will do there. */
function acceptedBy(
  negotiator: Negotiator,
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
async function definedKind(
  { customKinds, registry }: ResourcesPorts,
  { group, version, resource }: RequestInfo,
): Promise<Kind | undefined> {
  if (!group.includes('.')) return undefined;
  await customKinds.latest();
  return registry.find(group, version, resource);
}
