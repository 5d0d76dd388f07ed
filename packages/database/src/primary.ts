import { createConnection, Socket } from 'node:net';
import postgres from 'postgres';

export interface Host {
  readonly host: string;
  readonly port: number;
}

type DriverOptions = postgres.Options<Record<string, never>>;

/** How long a host may take to say what it is: one that hangs must not hold up the search for another. */
const ANSWER_MS = 1000;

/** No host of the URL takes writes now. */
class NoPrimary extends Error {
  readonly code = 'NO_PRIMARY';
}

/**
 * Connects to that of several hosts which is the primary. All are asked at once, so that one that hangs costs nothing
 * when another answers; connections that are opened at the same time share the question. The driver's own list of hosts
 * is not used: it takes a standby for one that accepts writes, and never says that all are away.
 */
export function primaryDialer(hosts: readonly Host[], urlOf: (host: Host) => string, options: DriverOptions) {
  let asking: Promise<Host> | undefined;
  return async (): Promise<Socket> => {
    asking ??= findPrimary(hosts, urlOf, options).finally(() => {
      asking = undefined;
    });
    try {
      return await connect(await asking);
    } catch (error) {
      return failing(error as Error);
    }
  };
}

async function findPrimary(
  hosts: readonly Host[],
  urlOf: (host: Host) => string,
  options: DriverOptions,
): Promise<Host> {
  const reasons = new Map<Host, string>();
  const asked = hosts.map(async (host) => {
    const reason = await whyNotPrimary(urlOf(host), options);
    if (reason === undefined) return host;
    reasons.set(host, reason);
    throw new Error(reason);
  });
  try {
    return await Promise.any(asked);
  } catch (error) {
    if (!(error instanceof AggregateError)) throw error;
    const words = hosts.map((host) => `${host.host}:${host.port} ${reasons.get(host)}`);
    throw new NoPrimary(`no host takes writes: ${words.join(', ')}`);
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
    // an error of a connection that was opened for this question only
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
      // the driver checks the certificate against this name
      resolve(Object.assign(socket, { host, port }));
    });
  });
}

/**
 * The driver hears of a failure from its socket alone: a rejected promise would leave the connection's place taken. And
 * not before its first message is out of its hands, which would go ahead of the next connection's otherwise.
 */
function failing(error: Error): Socket {
  const socket = new Socket();
  socket.write = () => {
    socket.destroy(error);
    return true;
  };
  return socket;
}
