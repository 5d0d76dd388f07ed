import {
  type handleServerStreamingCall,
  type handleUnaryCall,
  type ServerWritableStream,
  status,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { type HealthCheckRequest, type HealthCheckResponse, servingStatus } from '@tidegate/wire';
import { type Checks, type Endpoint, isEndpoint } from './checks.ts';

/** Checks do not report changes, so they are polled at this interval for Watch calls. */
const CHECK_INTERVAL_MS = 200;

type WatchCall = ServerWritableStream<HealthCheckRequest, HealthCheckResponse>;

/** The standard health protocol of gRPC, from the same checks as the probes. */
export function servingStatusImplementation(
  checks: Checks,
  everyMs: (check: () => void, ms: number) => () => void = everyInterval,
): UntypedServiceImplementation {
  const answer = (service: string): HealthCheckResponse | undefined => {
    const endpoint = endpointOf(service);
    if (endpoint === undefined) return undefined;
    return { status: checks.passes(endpoint) ? servingStatus.serving : servingStatus.notServing };
  };
  const checkOnce: handleUnaryCall<HealthCheckRequest, HealthCheckResponse> = ({ request }, callback) => {
    const found = answer(request.service);
    if (found !== undefined) return callback(null, found);
    const details = `no service ${JSON.stringify(request.service)}: use "", readyz, livez or healthz`;
    callback({ code: status.NOT_FOUND, details });
  };
  const watch: handleServerStreamingCall<HealthCheckRequest, HealthCheckResponse> = (call: WatchCall) => {
    let reported: number | undefined;
    const check = () => {
      const now = answer(call.request.service)?.status ?? servingStatus.serviceUnknown;
      if (now === reported) return;
      reported = now;
      call.write({ status: now });
    };
    check();
    const stop = everyMs(check, CHECK_INTERVAL_MS);
    call.on('cancelled', stop);
    call.on('close', stop);
  };
  return { check: checkOnce, watch };
}

function endpointOf(service: string): Endpoint | undefined {
  if (service === '') return 'readyz';
  return isEndpoint(service) ? service : undefined;
}

function everyInterval(check: () => void, ms: number): () => void {
  const timer = setInterval(check, ms);
  timer.unref();
  return () => clearInterval(timer);
}
