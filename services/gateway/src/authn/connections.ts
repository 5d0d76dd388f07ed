import type { X509Certificate } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { PeerCertificate, TLSSocket } from 'node:tls';
import { ExpiringCache } from '../callouts/expiring-cache.ts';
import { AUTHENTICATED, CREDENTIAL_ID, type User } from '../request/user.ts';
import { type Authorities, isSignedBy, shownChain } from './certificates.ts';

/** Who is at the other end of a connection, by the certificate that was shown. */
export type Peer =
  | { readonly kind: 'client'; readonly user: User }
  /** it says of each request who sends it */
  | { readonly kind: 'front-proxy' }
  | { readonly kind: 'nobody' }
  /** it shows a certificate that proves nothing here */
  | { readonly kind: 'stranger'; readonly why: string };

/** Who is believed of whom, as it is now. */
export interface KnownAuthorities {
  readonly value: { readonly clients: Authorities; readonly frontProxies: Authorities };
  onChange(listener: () => void): void;
}

interface ConnectionsOptions {
  readonly authorities: KnownAuthorities;
  /** empty: all names */
  readonly frontProxyNames: readonly string[];
}

type Role = 'client' | 'front-proxy' | 'stranger';

const NOBODY: Peer = { kind: 'nobody' };
const MOST_CACHED = 10_000;
const DAY_MS = 24 * 3600_000;
/** where a certificate's subject has the uid */
const UID = '1.3.6.1.4.1.57683.2';

/**
 * Who is at the other end of each connection.
 *
 * Invariant: a certificate makes its bearer a client or a front proxy, never both: a front proxy's is nobody's own name,
 * and no client's lets its bearer say who others are. Which authorities there are counts as it is now.
 */
export class Connections {
  readonly #options: ConnectionsOptions;
  #peers = new WeakMap<object, Peer>();
  /** a resumed connection shows its certificate, but not those that it came with */
  #roles = new ExpiringCache<Role>(MOST_CACHED);

  constructor(options: ConnectionsOptions) {
    this.#options = options;
    // connections that are open are looked at again, too
    options.authorities.onChange(() => {
      this.#peers = new WeakMap();
      this.#roles = new ExpiringCache(MOST_CACHED);
    });
  }

  of(request: IncomingMessage): Peer {
    const socket = socketOf(request);
    const known = this.#peers.get(socket);
    if (known !== undefined) return known;
    const peer = this.#peerOf(socket);
    this.#peers.set(socket, peer);
    return peer;
  }

  #peerOf(socket: TLSSocket): Peer {
    const { clients, frontProxies } = this.#options.authorities.value;
    if (clients.length + frontProxies.length === 0) return NOBODY;
    const shown = socket.getPeerCertificate();
    if (shown?.raw === undefined) return NOBODY;
    if (!socket.authorized) {
      return { kind: 'stranger', why: `the certificate cannot be verified: ${socket.authorizationError}` };
    }
    const role = this.#roleOf(socket, shown);
    if (role === 'front-proxy') return { kind: role };
    if (role === 'client') return clientOf(shown);
    return { kind: 'stranger', why: `a certificate of another authority (cn=${nameIn(shown)})` };
  }

  #roleOf(socket: TLSSocket, shown: PeerCertificate): Role {
    const known = this.#roles.get(shown.fingerprint256);
    if (known !== undefined) return known;
    const role = this.#judged(shownChain(socket), nameIn(shown));
    // of a resumed connection too little may be seen to know it
    if (role !== 'stranger') this.#roles.put(shown.fingerprint256, role, DAY_MS);
    return role;
  }

  #judged(chain: readonly X509Certificate[], name: string): Role {
    const { authorities, frontProxyNames } = this.#options;
    const { clients, frontProxies } = authorities.value;
    const isNamed = frontProxyNames.length === 0 || frontProxyNames.includes(name);
    if (isNamed && isSignedBy(frontProxies, chain)) return 'front-proxy';
    return isSignedBy(clients, chain) ? 'client' : 'stranger';
  }
}

/** HTTP/2's compatibility layer shows a proxy that hides the TLS socket's methods; the session has the real one. */
function socketOf(request: IncomingMessage): TLSSocket {
  const { stream } = request as { stream?: { session?: { socket?: TLSSocket } } };
  return (stream?.session?.socket ?? request.socket) as TLSSocket;
}

/** The certificate's common name, organizations and uid. */
function clientOf(shown: PeerCertificate): Peer {
  const name = nameIn(shown);
  if (name === '') return NOBODY;
  const subject = shown.subject as unknown as Record<string, string | string[] | undefined>;
  const uids = all(subject[UID]);
  if (uids.length > 1 || uids[0] === '') return { kind: 'stranger', why: `expected 1 UID, found ${uids.length}` };
  const fingerprint = shown.fingerprint256.replaceAll(':', '').toLowerCase();
  const user: User = {
    name,
    uid: uids[0] ?? '',
    groups: [...all(subject.O), AUTHENTICATED],
    until: Date.parse(shown.valid_to),
    extra: { [CREDENTIAL_ID]: [`X509SHA256=${fingerprint}`] },
  };
  return { kind: 'client', user };
}

/** The last one counts, where there are several. */
function nameIn({ subject }: PeerCertificate): string {
  return all(subject?.CN).at(-1) ?? '';
}

function all(value: string | string[] | undefined): string[] {
  return value === undefined ? [] : Array.isArray(value) ? value : [value];
}
