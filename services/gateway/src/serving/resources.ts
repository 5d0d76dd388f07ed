import type { IncomingHttpHeaders } from 'node:http';
import type { FeatureGates } from '@tidegate/feature-gates';
import { isConverted, type Kind, type Registry } from '@tidegate/kinds';
import { LONG_RUNNING_SUBRESOURCES, READS, type RequestInfo } from '@tidegate/request-info';
import type { Kit } from '@tidegate/service-kit';
import { notFound, resourceNotFound, serviceUnavailable } from '@tidegate/status';
import type { FastifyReply } from 'fastify';
import type { Admission } from '../admission/admission.ts';
import type { ApiServices } from '../aggregation/api-services.ts';
import { type CodingSettings, codingOf } from '../answer/content-coding.ts';
import { pathNotFound, writeAnswer } from '../answer/write-answer.ts';
import { parseAhead } from '../codec/decode-body.ts';
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
import { validateParameters } from '../request/query-parameters.ts';
import type { ResourceRequest, VerbHandler } from '../request/resource-request.ts';
import type { Dispatch } from '../verbs/dispatch.ts';
import { isReview } from '../verbs/review.ts';
import { type Admitted, isLongRunning } from './admitted.ts';

const EMPTY = Buffer.alloc(0);

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

/** Serves requests for resources: finds the kind, reads the body, and calls the verb. */
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

  /** The kind and the handler of a request; no handler if nothing exists at the path. */
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
      throw serviceUnavailable('the API services of this group are not loaded yet; retry shortly');
    }
    // as in Kubernetes, an unknown subresource of a custom object is reported as if the object did not exist
    const isCustom = kind?.entry.custom !== undefined && kind.entry.namespaced === (info.namespace !== '');
    if (isCustom && info.subresource !== '') throw notFound(kind.entry, info.name);
    if (registry.serves(info.group, info.version)) throw resourceNotFound();
    return pathNotFound(audit, reply);
  }

  /** Reads the body (the user is authorized by now), and describes the request for the verb. */
  async #describe(admitted: Admitted, kind: Kind): Promise<ResourceRequest> {
    const { request, info, user, audit, warnings, record, notes } = admitted;
    const { bodies, negotiator, coding, conversions, largeSteps, kit } = this.#ports;
    const { headers, raw } = request;
    const body = takesBody(info) && hasBody(raw) ? await bodies.read(raw, user.name) : EMPTY;
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

  /** Rejects parameters and media types that the verb does not support. */
  #check(request: ResourceRequest, headers: IncomingHttpHeaders): void {
    const { info, kind, warnings, body } = request;
    if (!LONG_RUNNING_SUBRESOURCES.has(info.subresource)) validateParameters(info);
    const { deprecated } = kind.entry;
    if (deprecated !== undefined) warnings.push(deprecated);
    refuseMediaType(this.#ports.gates, request);
    if (body.length > 0) refuseCodedBody(headers['content-encoding']);
  }

  async #run(handler: VerbHandler, request: ResourceRequest, reply: FastifyReply): Promise<number> {
    const { info, user, body, span, steps, contentType } = request;
    const { kit, largeSteps, admission, yaml } = this.#ports;
    const ended = kit.loop.begin({ description: `${info.verb} ${info.path} by ${user.name}`, bytes: body.length });
    const isLarge = steps !== undefined;
    const served = isLarge || isLongRunning(info) ? undefined : largeSteps.besides();
    try {
      // no write is admitted before all webhooks and policies are loaded
      if (!READS.has(info.verb)) await admission.known();
      if (isLarge) await parseAhead(yaml, body, contentType);
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

/** Reads have no body; the body of a proxied request is not read here. */
function takesBody({ verb, subresource }: RequestInfo): boolean {
  return !READS.has(verb) && !LONG_RUNNING_SUBRESOURCES.has(subresource);
}

/** The form of the answer. Proxied requests and streams have their own form, so any Accept is allowed there. */
function acceptedBy(
  negotiator: Negotiator,
  { info, kind }: Pick<ResourceRequest, 'info' | 'kind'>,
  accept: string | undefined,
): Accepted {
  const { subresource } = info;
  if (LONG_RUNNING_SUBRESOURCES.has(subresource) && subresource !== 'log') return PLAIN;
  return negotiator.negotiate(accept, {
    isCustom: kind.entry.custom !== undefined,
    isReview: isReview(kind),
    isText: subresource === 'log',
  });
}

/** Whether the path names a namespace around the resource; a namespace itself is not in a namespace. */
function isInNamespace({ namespace, resource, path }: RequestInfo): boolean {
  return namespace !== '' && (resource !== 'namespaces' || NESTED_NAMESPACE.test(path));
}

const NESTED_NAMESPACE = /\/namespaces\/[^/]+\/namespaces(\/|$)/;

/** An unknown custom kind may have been defined just now. The group of a custom kind has a dot. */
async function definedKind(
  { customKinds, registry }: ResourcesPorts,
  { group, version, resource }: RequestInfo,
): Promise<Kind | undefined> {
  if (!group.includes('.')) return undefined;
  await customKinds.latest();
  return registry.find(group, version, resource);
}
