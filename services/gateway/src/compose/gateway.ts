import { WindowMemory } from '@tidegate/collection';
import { readFeatureGates } from '@tidegate/feature-gates';
import type { Kit } from '@tidegate/service-kit';
import { FlowControl } from '../flow/flow-control.ts';
import { createApp } from '../listener/app.ts';
import { TlsFiles } from '../listener/tls-files.ts';
import { declareMetrics } from '../metrics.ts';
import { Backends } from '../proxy/backends.ts';
import type { ResourceRequest } from '../request/resource-request.ts';
import { Dispatch } from '../verbs/dispatch.ts';
import { composeAccess } from './access.ts';
import { composeApiServices } from './api-services.ts';
import { composeData } from './data.ts';
import type { GatewayConfig, Given } from './given.ts';
import { addChecks, composeHealth } from './health.ts';
import { composeReading } from './reading.ts';
import { composeServing } from './serving.ts';
import { composeWriting } from './writing.ts';

export type Gateway = ReturnType<typeof composeGateway>;

/** Composes a gateway. Nothing in it is shared with another gateway in the same process. */
export function composeGateway(config: GatewayConfig, kit: Kit) {
  const gates = readFeatureGates(config.featureGates);
  for (const notice of gates.notices) kit.log.warn(notice);
  const windows = new WindowMemory({ bytes: config.mirrorWindowMemoryMib * 2 ** 20 });
  const metrics = declareMetrics(kit.metrics, windows);
  const given: Given = { config, kit, gates, metrics };

  const data = composeData(given, windows);
  const { registry, mirrors, objects, collections } = data;
  const access = composeAccess(given, data);
  const health = composeHealth(given, data, access);
  const writing = composeWriting(given, data, access);
  const flowControl = new FlowControl(config, { mirrors, registry: kit.metrics });
  const reading = composeReading(given, {
    data,
    access,
    largeSteps: writing.largeSteps,
    shortestMs: flowControl.shortestWatchMs,
  });
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

  const serving = composeServing(given, { data, access, writing, flowControl, apiServices, dispatch });
  const authorityFiles = [config.clientCaFile, config.requestheaderClientCaFile].filter((file) => file !== '');
  const tls = new TlsFiles({ ...config, authorityFiles }, kit.log);
  kit.certificates.add(() => tls.inUse());
  const { authenticator } = access;
  const { requestMs } = flowControl;
  const app = createApp({ ...config, ...serving, apiServices, authenticator, metrics, requestMs, kit, serving: tls });
  kit.load.watchers = () => mirrors.watching;
  const { configurations } = writing;
  addChecks(given, {
    data,
    access,
    health,
    configurations,
    apiServices,
    hasFlowControl: flowControl.turns !== undefined,
  });

  return {
    app,
    registry,
    metrics: kit.metrics,
    mirrors,
    health,
    start() {
      for (const part of [data, reading, access, flowControl, writing, apiServices]) part.start();
    },
    async stop() {
      for (const part of [flowControl, apiServices, access, reading, data]) part.stop();
      await serving.stop();
      tls.close();
    },
  };
}
