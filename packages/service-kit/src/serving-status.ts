import {
  type handleServerStreamingCall,
  type handleUnaryCall,
  type ServerWritableStream,
  status,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { type HealthCheckRequest, type HealthCheckResponse, servingStatus } from '@tidegate/wire';
import { type Checks, type Endpoint, isEndpoint } from './checks.ts';

/** Checks are asked, and tell nothing by themselves: who watches hears of a change this late at most. */
const LOOK_MS = 200;

type WatchCall = ServerWritableStream<HealthCheckRequest, HealthCheckResponse>;

/** The health protocol of gRPC's own tools, from the same checks as the probes. */
export function servingStatusImplementation(
  checks: Checks,
  everyMs: (look: () => void, ms: number) => () => void = everyInterval,
): UntypedServiceImplementation {
  const answer = (service: string): HealthCheckResponse | undefined => {
    const endpoint = endpointOf(service);
    if (endpoint === undefined) return undefined;
    return { status: checks.passes(endpoint) ? servingStatus.serving : servingStatus.notServing };
  };
  const check: handleUnaryCall<HealthCheckRequest, HealthCheckResponse> = ({ request }, callback) => {
    const found = answer(request.service);
    if (found !== undefined) return callback(null, found);
    const details = `no service ${JSON.stringify(request.service)}: "", readyz, livez and healthz can be asked for`;
    callback({ code: status.NOT_FOUND, details });
  };
  const watch: handleServerStreamingCall<HealthCheckRequest, HealthCheckResponse> = (call: WatchCall) => {
    let told: number | undefined;
    const look = () => {
      const now = answer(call.request.service)?.status ?? servingStatus.serviceUnknown;
      if (now === told) return;
      told = now;
      call.write({ status: now });
    };
    look();
    const stop = everyMs(look, LOOK_MS);
    call.on('cancelled', stop);
    call.on('close', stop);
  };
  return { check, watch };
}

function endpointOf(service: string): Endpoint | undefined {
  if (service === '') return 'readyz';
  return isEndpoint(service) ? service : undefined;
}

function everyInterval(look: () => void, ms: number): () => void {
  const timer = setInterval(look, ms);
  timer.unref();
  return () => clearInterval(timer);
}
