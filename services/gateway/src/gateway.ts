import type { FeatureGates } from '@tidegate/feature-gates';
import type { Registry } from '@tidegate/kinds';
import type { FastifyReply } from 'fastify';
import type { Admission } from './admission/admission.ts';
import type { ApiServices } from './aggregation/api-services.ts';
import type { AuditTrail } from './audit/audit-trail.ts';
import type { Authenticator } from './authn/authenticator.ts';
import type { BearerTokens } from './authn/bearer/bearer-tokens.ts';
import type { ServiceAccounts } from './authn/service-accounts.ts';
import type { Authorizer } from './authz/authorizer.ts';
import type { WebhookCalls } from './callouts/webhook-calls.ts';
import type { StoreSession } from './clients/store-session.ts';
import type { YamlReader } from './codec/large-yaml/yaml-reader.ts';
import type { Negotiator } from './codec/negotiate.ts';
import type { Conversions } from './conversion/conversions.ts';
import type { Discovery } from './discovery/discovery.ts';
import type { ListWriting } from './hooks/write-list.ts';
import type { LargeSteps } from './limits/large-steps.ts';
import type { Limits } from './limits/limits.ts';
import type { CustomKinds } from './live/custom-kinds.ts';
import type { GatewayMetrics } from './metrics.ts';
import type { Mirrors } from './mirror/mirrors.ts';
import type { Collections } from './objects/collections.ts';
import type { Objects } from './objects/objects.ts';
import type { Plugins } from './plugins/plugins.ts';
import type { BackEnds } from './proxy/back-ends.ts';
import type { Lists } from './reading/lists.ts';
import type { Watches } from './reading/watches.ts';
import type { Answer, ResourceRequest } from './request/resource-request.ts';
import type { RequestMetrics } from './telemetry/request-metrics.ts';
import type { Component } from './verbs/component-status.ts';
import type { Writer } from './writing/writer.ts';

/** What every verb works with. */
export interface Gateway {
  readonly authenticator: Authenticator;
  readonly authorizer: Authorizer;
  /** how many requests are served at a time, and whose */
  readonly limits: Limits;
  /** in which large objects are written */
  readonly largeSteps: LargeSteps;
  readonly registry: Registry;
  readonly customKinds: CustomKinds;
  readonly discovery: Discovery;
  /** who serves what this server does not */
  readonly apiServices: ApiServices;
  /** who has a say in writes */
  readonly admission: Admission;
  /** the rules of admission that are built in */
  readonly plugins: Plugins;
  readonly webhooks: WebhookCalls;
  /** of what is stored, for kinds whose versions a webhook converts */
  readonly conversions: Conversions;
  readonly store: StoreSession;
  readonly mirrors: Mirrors;
  readonly metrics: GatewayMetrics;
  readonly requestMetrics: RequestMetrics;
  readonly gates: FeatureGates;
  readonly negotiator: Negotiator;
  /** answers below this are not compressed */
  readonly compressionMinBytes: number;
  /** of large bodies */
  readonly yaml: YamlReader;
  /** what requests are sent on to: nodes, pods, services */
  readonly backEnds: BackEnds;
  readonly writer: Writer;
  readonly lists: Lists;
  readonly watches: Watches;
  readonly listWriting: ListWriting;
  readonly objects: Objects;
  readonly collections: Collections;
  /** the other parts, as this one sees them */
  readonly components: () => readonly Component[];
  /** undefined: nothing is recorded */
  readonly auditTrail: AuditTrail | undefined;
  readonly tokens: BearerTokens;
  /** undefined where no key is given for their tokens */
  readonly serviceAccounts: ServiceAccounts | undefined;
}

export type VerbHandler = (
  gateway: Gateway,
  request: ResourceRequest,
  reply: FastifyReply,
) => Promise<Answer | undefined>;
