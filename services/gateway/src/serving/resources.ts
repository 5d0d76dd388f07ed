import type { FeatureGates } from '@tidegate/feature-gates';
import { isConverted, type Kind, type Registry } from '@tidegate/kinds';
import { READS, type RequestInfo, TALKS } from '@tidegate/request-info';
import type { Kit } from '@tidegate/service-kit';
import { notFound, resourceNotFound, serviceUnavailable } from '@tidegate/status';
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
import type { ResourceRequest } from '../request/resource-request.ts';
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
    const ports = this.#ports;
    const { kit } = ports;
    const { request, reply, info, user, audit, warnings, record, notes } = admitted;
    const kind = ports.registry.find(info.group, info.version, info.resource) ?? (await definedKind(ports, info));
    // a resource of the other scope is not there
    const otherScope = kind !== undefined && !kind.entry.namespaced && isInNamespace(info);
    const handler = kind === undefined || otherScope ? undefined : ports.dispatch.handlerOf({ info, kind });
    if (kind === undefined || handler === undefined) {
      if (!ports.apiServices.isKnown) throw serviceUnavailable('who serves this group is not known yet');
      // as in Kubernetes, an unknown subresource of a custom object is told as if the object were not there
      const isCustom = kind?.entry.custom !== undefined && kind.entry.namespaced === (info.namespace !== '');
      if (isCustom && info.subresource !== '') throw notFound(kind.entry, info.name);
      if (ports.registry.serves(info.group, info.version)) throw resourceNotFound();
      return nothingHere(audit, reply);
    }
    const { headers } = request;
    // now it is known who sends it, and that they may
    const body = takesBody(info) && hasBody(request.raw) ? await ports.bodies.read(request.raw, user.name) : NOTHING;
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
      accepted: acceptedBy(ports.negotiator, { info, kind }, headers.accept),
      coding: codingOf(ports.coding, request, info),
      body,
      steps: ports.largeSteps.of(isLargeBody(body, headers['content-type'])),
      span,
      fence: fenceOf(user, headers[FENCE_HEADER]),
      conversions: !isConverted(kind) ? undefined : new RequestConversions(ports.conversions),
      warnings,
      record,
      notes,
    };
    record?.about(resourceRequest, reply.raw);
    if (!TALKS.has(info.subresource)) judgeParameters(info);
    const { deprecated } = kind.entry;
    if (deprecated !== undefined) warnings.push(deprecated);
    refuseMediaType(ports.gates, resourceRequest);
    if (resourceRequest.body.length > 0) refuseCodedBody(headers['content-encoding']);
    const ended = kit.loop.begin({ words: `${info.verb} ${info.path} by ${user.name}`, bytes: body.length });
    const isLarge = resourceRequest.steps !== undefined;
    const served = isLarge || lastsLong(info) ? undefined : ports.largeSteps.besides();
    try {
      // who is to be asked must be known before anything is written
      if (!READS.has(info.verb)) await ports.admission.known();
      if (isLarge) await readAhead(ports.yaml, body, resourceRequest.contentType);
      const answer = await handler(resourceRequest, reply);
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
}

/** What reads, talks, or is sent on has no body for this server. */
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
