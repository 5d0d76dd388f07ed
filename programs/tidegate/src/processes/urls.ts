import { createConnection } from 'node:net';
import { UserError } from '@tidegate/local';

const LIMIT_MS = 5000;

interface GivenUrl {
  readonly option: '--postgres-url' | '--nats-url';
  readonly url: string;
  readonly protocols: readonly string[];
  readonly defaultPort: number;
}

/** Resolves when one of the URL's hosts accepts a connection. The error never contains a password. */
export async function requireReachable(given: GivenUrl): Promise<void> {
  const targets = targetsOf(given);
  const failures = await Promise.all(targets.map((target) => tryConnect(target)));
  if (failures.includes(undefined)) return;
  const names = targets.map((target) => ('path' in target ? target.path : `${target.host}:${target.port}`)).join(', ');
  throw new UserError(
    `nothing answers at ${names} (${failures[0]}): check ${given.option}, and that the server runs and can be reached from here`,
  );
}

type Target = { readonly host: string; readonly port: number } | { readonly path: string };

/** A URL may have several hosts, separated by commas, which URL parsers reject. */
export function targetsOf(given: GivenUrl): Target[] {
  const match = /^([a-z+]+):\/\/(?:[^@/?]*@)?([^/?]*)([^?]*)(?:\?(.*))?$/i.exec(given.url);
  if (match === null || !given.protocols.includes(match[1] as string)) {
    throw new UserError(
      `${given.option} must be a URL that begins with ${given.protocols.map((p) => `${p}://`).join(' or ')}`,
      {
        exitCode: 2,
      },
    );
  }
  const socketDir = new URLSearchParams(match[4]).get('host');
  if (socketDir?.startsWith('/')) return [{ path: `${socketDir}/.s.PGSQL.${given.defaultPort}` }];
  return (match[2] as string).split(',').map((text) => {
    const [, host = '', port] = /^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(text) ?? [];
    return { host: host.replace(/^\[|\]$/g, '') || 'localhost', port: Number(port ?? given.defaultPort) };
  });
}

/** Returns why it could not connect; undefined where it could. */
function tryConnect(target: Target): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = createConnection(target);
    const limit = setTimeout(() => end(`no answer within ${LIMIT_MS / 1000} s`), LIMIT_MS);
    function end(failure: string | undefined): void {
      clearTimeout(limit);
      socket.destroy();
      resolve(failure);
    }
    socket.once('connect', () => end(undefined));
    socket.once('error', (error: NodeJS.ErrnoException) => end(error.code ?? error.message));
  });
}
