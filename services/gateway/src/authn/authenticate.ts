import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { unauthorized } from '@tidegate/status';
import type { ServiceAccounts } from './service-accounts.ts';
import type { TokenFile } from './token-file.ts';
import { AUTHENTICATED, anonymous, type User } from './user.ts';

/** Who tells users by their tokens. */
interface Authorities {
  readonly tokens: TokenFile;
  readonly serviceAccounts: ServiceAccounts | undefined;
}

/** The user of a request: by bearer token, else by client certificate, else nobody in particular. */
export async function authenticate(request: IncomingMessage, { tokens, serviceAccounts }: Authorities): Promise<User> {
  const { authorization } = request.headers;
  if (authorization === undefined) return certificateUser(socketOf(request)) ?? anonymous;
  const socket = socketOf(request);
  const last = lastBearer.get(socket);
  if (last?.authorization === authorization) return last.user;
  const token = /^Bearer +(\S+) *$/i.exec(authorization)?.[1];
  const user = token === undefined ? undefined : tokens.find(token);
  if (user === undefined) {
    const verdict = token === undefined ? undefined : await serviceAccounts?.judge(token);
    if (verdict === undefined || 'refused' in verdict) throw unauthorized();
    // not remembered: at the next request the account may be gone
    return verdict.user;
  }
  lastBearer.set(socket, { authorization, user });
  return user;
}

/** Clients send the same header again and again on a connection: only a new one is looked up. */
const lastBearer = new WeakMap<object, { authorization: string; user: User }>();

/** HTTP/2's compatibility layer shows a proxy that hides the TLS socket's methods; the session has the real one. */
function socketOf(request: IncomingMessage): TLSSocket {
  const { stream } = request as { stream?: { session?: { socket?: TLSSocket } } };
  return (stream?.session?.socket ?? request.socket) as TLSSocket;
}

const byConnection = new WeakMap<object, User | null>();

/** The certificate's common name and organizations, when an authority that we trust for clients has signed it. */
function certificateUser(socket: TLSSocket): User | undefined {
  const known = byConnection.get(socket);
  if (known !== undefined) return known ?? undefined;
  let user: User | null = null;
  if (socket.authorized) {
    const { subject, valid_to: validTo } = socket.getPeerCertificate();
    const name = first(subject?.CN);
    if (name !== undefined) {
      const until = Date.parse(validTo);
      user = { name, uid: '', groups: [...all(subject?.O), AUTHENTICATED], until };
    }
  }
  byConnection.set(socket, user);
  return user ?? undefined;
}

function all(value: string | string[] | undefined): string[] {
  return value === undefined ? [] : Array.isArray(value) ? value : [value];
}

function first(value: string | string[] | undefined): string | undefined {
  return all(value)[0];
}
