import {
  type ServerDuplexStream,
  type ServerUnaryCall,
  type ServiceDefinition,
  type sendUnaryData,
  status,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { callers } from '@tidegate/wire';
import { partIn } from './peer-credentials.ts';

type AnyCall = ServerUnaryCall<unknown, unknown> & ServerDuplexStream<unknown, unknown>;
type AnyHandler = (call: AnyCall, callback?: sendUnaryData<unknown>) => void;

/**
 * Wraps the methods of a contract so that only the parts that the contract names may call them. Other callers get
 * PERMISSION_DENIED.
 */
export function guarded(
  definition: ServiceDefinition,
  implementation: UntypedServiceImplementation,
): UntypedServiceImplementation {
  const made: Record<string, AnyHandler> = {};
  for (const [name, handler] of Object.entries(implementation)) {
    const { path = name } = definition[name] ?? {};
    const allowed = callers[path];
    if (allowed === undefined) throw new Error(`the table of callers has no entry for ${path}`);
    made[name] = (call, callback) => {
      const certificate = call.getAuthContext()?.sslPeerCertificate;
      const part = certificate === undefined ? '' : partIn(certificate);
      if (allowed.includes(part)) return (handler as AnyHandler)(call, callback);
      const details = `${path} is for ${allowed.join(' and ')}, and the certificate is of ${JSON.stringify(part)}`;
      const error = Object.assign(new Error(details), { code: status.PERMISSION_DENIED, details });
      if (callback === undefined) call.emit('error', error);
      else callback(error);
    };
  }
  return made as unknown as UntypedServiceImplementation;
}
