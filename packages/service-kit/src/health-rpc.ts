import type { handleUnaryCall, UntypedServiceImplementation } from '@grpc/grpc-js';
import type { CheckMessage, ChecksResponse } from '@tidegate/wire';
import type { Checks } from './checks.ts';
import type { LoadMeter } from './load-meter.ts';

interface HealthSource {
  part: string;
  instance: string;
  checks: Checks;
  revision: () => number;
  load: Pick<LoadMeter, 'load'>;
}

/** The method that the health service calls for the state of this process. */
export function healthImplementation(source: HealthSource): UntypedServiceImplementation {
  const checks: handleUnaryCall<unknown, ChecksResponse> = (_call, callback) => {
    callback(null, {
      part: source.part,
      instance: source.instance,
      stopping: source.checks.stopping,
      revision: source.revision(),
      checks: messagesOf(source.checks),
      load: source.load.load(),
    });
  };
  return { checks };
}

function messagesOf(checks: Checks): CheckMessage[] {
  const onLivez = new Map(checks.at('livez').map(({ name, failing }) => [name, failing]));
  return checks.at('healthz').map(({ name, required, failing }) => {
    const message = failing();
    const wedged = onLivez.get(name);
    const live = wedged !== undefined && wedged() === undefined;
    return { name, ok: message === undefined, message: message ?? '', required, onLivez: wedged !== undefined, live };
  });
}
