import type { ApiServices } from '../aggregation/api-services.ts';
import { openAuditTrail } from '../audit/open.ts';
import { YamlReader } from '../codec/large-yaml/yaml-reader.ts';
import { Negotiator } from '../codec/negotiate.ts';
import { Discovery } from '../discovery/discovery.ts';
import { serverFacts } from '../discovery/server-facts.ts';
import type { FlowControl } from '../flow/flow-control.ts';
import { OtherPaths } from '../serving/other-paths.ts';
import { RequestServer } from '../serving/request-server.ts';
import { Resources } from '../serving/resources.ts';
import { RequestMetrics } from '../telemetry/request-metrics.ts';
import type { Dispatch } from '../verbs/dispatch.ts';
import type { Access } from './access.ts';
import type { Data } from './data.ts';
import type { Given } from './given.ts';
import type { Writing } from './writing.ts';

interface From {
  readonly data: Data;
  readonly access: Access;
  readonly writing: Writing;
  readonly flowControl: FlowControl;
  readonly apiServices: ApiServices;
  readonly dispatch: Dispatch;
}

/** The request server, and what it delegates to. */
export function composeServing({ config, kit, gates, metrics }: Given, from: From) {
  const { data, access, writing, flowControl, apiServices, dispatch } = from;
  const { registry, customKinds, conversions } = data;
  const { authenticator, authorizer, serviceAccounts } = access;
  const { admission, largeSteps } = writing;
  const negotiator = new Negotiator(gates);
  const coding = { gates, compressionMinBytes: config.responseCompressionMinBytes };
  const yaml = new YamlReader();
  const resources = new Resources({
    registry,
    customKinds,
    apiServices,
    dispatch,
    bodies: flowControl.bodies,
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
    turns: flowControl.turns,
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
    limits: flowControl,
    resources,
    others,
    requestMetrics,
    metrics,
    negotiator,
    coding,
    kit,
  });
  return {
    requests,
    auditTrail,
    negotiator,
    async stop() {
      await yaml.close();
      await auditTrail?.close();
    },
  };
}
