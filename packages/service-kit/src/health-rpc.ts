import type { handleUnaryCall, UntypedServiceImplementation } from '@grpc/grpc-js';
import type { ChecksResponse } from '@tidegate/wire';
import type { Checks } from './checks.ts';

interface HealthSource {
  part: string;
  instance: string;
  checks: Checks;
  revision: () => number;
}

/** What this process says of itself when the health service asks. */
export function healthImplementation(source: HealthSource): UntypedServiceImplementation {
  const checks: handleUnaryCall<unknown, ChecksResponse> = (_call, callback) => {
    callback(null, {
      part: source.part,
      instance: source.instance,
      stopping: source.checks.stopping,
      revision: source.revision(),
      checks: source.checks.all().map((check) => {
        const message = check.failing();
        return { name: check.name, ok: message === undefined, message: message ?? '', required: check.required };
      }),
    });
  };
  return { checks };
}
