import { WindowMemory } from '@tidegate/collection';
import { readFeatureGates } from '@tidegate/feature-gates';
import type { Kit } from '@tidegate/service-kit';
import { openAuditTrail } from '../audit/open.ts';
import { YamlReader } from '../codec/large-yaml/yaml-reader.ts';
import { Negotiator } from '../codec/negotiate.ts';
import { Discovery } from '../discovery/discovery.ts';
import { serverFacts } from '../discovery/server-facts.ts';
import { FlowControl } from '../flow/flow-control.ts';
import { createApp } from '../listener/app.ts';
import { TlsFiles } from '../listener/tls-files.ts';
import { declareMetrics } from '../metrics.ts';
import { Backends } from '../proxy/backends.ts';
import type { ResourceRequest } from '../request/resource-request.ts';
import { OtherPaths } from '../serving/other-paths.ts';
import { RequestServer } from '../serving/request-server.ts';
import { Resources } from '../serving/resources.ts';
import { RequestMetrics } from '../telemetry/request-metrics.ts';
import { Dispatch } from '../verbs/dispatch.ts';
import { composeAccess } from './access.ts';
import { composeApiServices } from './api-services.ts';
import { composeData } from './data.ts';
import type { GatewayConfig, Given } from './given.ts';
import { addChecks, composeHealth } from './health.ts';
import { composeReading } from './reading.ts';
import { composeWriting } from './writing.ts';

export type Gateway = ReturnType<typeof composeGateway>;

/** Puts all rooms together. Nothing that it makes is shared with another gateway in the same process. */
export function composeGateway(config: GatewayConfig, kit: Kit) {
  const gates = readFeatureGates(config.featureGates);
  for (const notice of gates.notices) kit.log.warn(notice);
  const windows = new WindowMemory({ bytes: config.mirrorWindowMemoryMib * 2 ** 20 });
  const metrics = declareMetrics(kit.metrics, windows);
  const given: Given = { config, kit, gates, metrics };

  const data = composeData(given, windows);
  const { registry, mirrors, objects, collections, conversions, customKinds } = data;
  const access = composeAccess(given, data);
  const { authenticator, authorizer, serviceAccounts } = access;
  const health = composeHealth(given, data, access);
  const writing = composeWriting(given, data, access);
  const { admission, largeSteps } = writing;
  const limits = new FlowControl(config, { mirrors, registry: kit.metrics });
  const reading = composeReading(given, { data, access, largeSteps, shortestMs: limits.shortestWatchMs });
  const patch = async (request: ResourceRequest) => dispatch.handlerOf(request)?.(request, undefined as never);
  const apiServices = composeApiServices(given, data, patch);
  const dispatch = new Dispatch({
    ...data,
    ...access,
    ...writing,
    ...reading,
    gates,
    components: health.components,
    backends: new Backends(config, { objects, collections, registry }),
  });

  const negotiator = new Negotiator(gates);
  const coding = { gates, compressionMinBytes: config.responseCompressionMinBytes };
  const yaml = new YamlReader();
  const resources = new Resources({
    registry,
    customKinds,
    apiServices,
    dispatch,
    bodies: limits.bodies,
    largeSteps,
    yaml,
    admission,
    conversions,
    negotiator,
    gates,
    coding,
    kit,
  });
  const others = new OtherPaths({
    discovery: new Discovery(registry, { gates, negotiator }, apiServices, serverFacts(config, kit)),
    customKinds,
    apiServices,
    serviceAccounts,
    turns: limits.turns,
    checks: kit.checks,
    metrics: kit.metrics,
    coding,
  });
  const auditTrail = openAuditTrail(config, kit);
  const requestMetrics = new RequestMetrics(kit.metrics, (...path) => registry.find(...path));
  const requests = new RequestServer({
    authenticator,
    authorizer,
    auditTrail,
    limits,
    resources,
    others,
    requestMetrics,
    metrics,
    negotiator,
    coding,
    kit,
  });
  const authorityFiles = [config.clientCaFile, config.requestheaderClientCaFile].filter((file) => file !== '');
  const serving = new TlsFiles({ ...config, authorityFiles }, kit.log);
  kit.certificates.add(() => serving.inUse());
  const { requestMs } = limits;
  const app = createApp({
    ...config,
    requests,
    apiServices,
    authenticator,
    auditTrail,
    negotiator,
    metrics,
    requestMs,
    kit,
    serving,
  });
  kit.load.watchers = () => mirrors.watching;
  const { configurations } = writing;
  addChecks(given, { data, access, health, configurations, apiServices, hasFlowControl: limits.turns !== undefined });

  return {
    app,
    mirrors,
    health,
    start() {
      for (const part of [data, reading, access, limits, writing, apiServices]) part.start();
    },
    async stop() {
      for (const part of [limits, apiServices, access, reading, data]) part.stop();
      await yaml.close();
      await auditTrail?.close();
      serving.close();
    },
  };
}
