import { createConnection, Socket } from 'node:net';
import postgres from 'postgres';

export interface Host {
  readonly host: string;
  readonly port: number;
}

type DriverOptions = postgres.Options<Record<string, never>>;

/** how long a host may take to report its role, so that a host that hangs does not delay the search */
const ANSWER_MS = 1000;

/** No host of the URL accepts writes now. */
class NoPrimary extends Error {
  readonly code = 'NO_PRIMARY';
}

/**
 * Finds the primary among several hosts, and connects to it. All hosts are queried at once, so that a host that hangs
 * causes no delay; connections that are opened at the same time share the queries. The driver's own list of hosts is
 * not used, because it takes a standby for a primary, and never reports that no host can be reached.
 */
export function primaryDialer(hosts: readonly Host[], urlOf: (host: Host) => string, options: DriverOptions) {
  let finding: Promise<Host> | undefined;
  return async (): Promise<Socket> => {
    finding ??= findPrimary(hosts, urlOf, options).finally(() => {
      finding = undefined;
    });
    try {
      return await connect(await finding);
    } catch (error) {
      return failedSocket(error as Error);
    }
  };
}

async function findPrimary(
  hosts: readonly Host[],
  urlOf: (host: Host) => string,
  options: DriverOptions,
): Promise<Host> {
  const reasons = new Map<Host, string>();
  const queries = hosts.map(async (host) => {
    const reason = await whyNotPrimary(urlOf(host), options);
    if (reason === undefined) return host;
    reasons.set(host, reason);
    throw new Error(reason);
  });
  try {
    return await Promise.any(queries);
  } catch (error) {
    if (!(error instanceof AggregateError)) throw error;
    const failures = hosts.map((host) => `${host.host}:${host.port} ${reasons.get(host)}`);
    throw new NoPrimary(`no host accepts writes: ${failures.join(', ')}`);
  }
}

async function whyNotPrimary(url: string, options: DriverOptions): Promise<string | undefined> {
  const sql = postgres(url, {
    ...options,
    max: 1,
    fetch_types: false,
    connect_timeout: ANSWER_MS / 1000,
    onnotice: () => {},
    connection: { application_name: 'tidegate-store-primary' },
  });
  try {
    await sql.unsafe('SELECT 1');
    return undefined;
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    return code === 'CONNECTION_DESTROYED' ? 'is a standby' : (code ?? message);
  } finally {
    // an error of a connection that was opened for this query only
    void sql.end({ timeout: 0 }).catch(() => {});
  }
}

function connect({ host, port }: Host): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = createConnection({ host, port, timeout: ANSWER_MS });
    socket.once('error', reject);
    socket.once('timeout', () => socket.destroy(new NoPrimary(`${host}:${port} does not answer`)));
    socket.once('connect', () => {
      socket.removeAllListeners().setTimeout(0);
      // the driver verifies the certificate for this name
      resolve(Object.assign(socket, { host, port }));
    });
  });
}

/**
 * The driver notices a failure only on its socket: a rejected promise would leave the connection's slot occupied. The
 * socket fails only after the driver has written its first message, which the next connection would send otherwise.
 */
function failedSocket(error: Error): Socket {
  const socket = new Socket();
  socket.write = () => {
    socket.destroy(error);
    return true;
  };
  return socket;
}
