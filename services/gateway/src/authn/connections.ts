import type { X509Certificate } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { PeerCertificate, TLSSocket } from 'node:tls';
import { ExpiringCache } from '../callouts/expiring-cache.ts';
import { AUTHENTICATED, CREDENTIAL_ID, type User } from '../request/user.ts';
import { type Authorities, isSignedBy, shownChain } from './certificates.ts';

/** The peer of a connection, identified by its certificate. */
export type Peer =
  | { readonly kind: 'client'; readonly user: User }
  /** its headers name the user of each request */
  | { readonly kind: 'front-proxy' }
  | { readonly kind: 'none' }
  /** its certificate comes from no authority that is trusted for clients */
  | { readonly kind: 'untrusted'; readonly why: string };

/** The trusted authorities, as they are now. */
export interface KnownAuthorities {
  readonly value: { readonly clients: Authorities; readonly frontProxies: Authorities };
  onChange(listener: () => void): void;
}

interface ConnectionsOptions {
  readonly authorities: KnownAuthorities;
  /** empty: every name is allowed */
  readonly frontProxyNames: readonly string[];
}

type Role = 'client' | 'front-proxy' | 'untrusted';

const NO_CERTIFICATE: Peer = { kind: 'none' };
const MOST_CACHED = 10_000;
const DAY_MS = 24 * 3600_000;
/** the attribute of a certificate's subject that holds the uid */
const UID = '1.3.6.1.4.1.57683.2';

/**
 * Identifies the peer of each connection.
 *
 * Invariant: a certificate identifies a client or a front proxy, never both: a front proxy's certificate is no user's
 * identity, and a client's certificate does not permit its holder to name other users. Changed authorities apply at
 * once.
 */
export class Connections {
  readonly #options: ConnectionsOptions;
  #peers = new WeakMap<object, Peer>();
  /** by fingerprint: a resumed connection shows its certificate, but not the chain */
  #roles = new ExpiringCache<Role>(MOST_CACHED);

  constructor(options: ConnectionsOptions) {
    this.#options = options;
    // connections that are already open are verified again, too
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
    if (clients.length + frontProxies.length === 0) return NO_CERTIFICATE;
    const shown = socket.getPeerCertificate();
    if (shown?.raw === undefined) return NO_CERTIFICATE;
    if (!socket.authorized) {
      return { kind: 'untrusted', why: `the certificate cannot be verified: ${socket.authorizationError}` };
    }
    const role = this.#roleOf(socket, shown);
    if (role === 'front-proxy') return { kind: role };
    if (role === 'client') return clientOf(shown);
    return { kind: 'untrusted', why: `a certificate of an untrusted authority (cn=${nameIn(shown)})` };
  }

  #roleOf(socket: TLSSocket, shown: PeerCertificate): Role {
    const known = this.#roles.get(shown.fingerprint256);
    if (known !== undefined) return known;
    const role = this.#verified(shownChain(socket), nameIn(shown));
    // not cached: a resumed connection may show too little of its chain
    if (role !== 'untrusted') this.#roles.put(shown.fingerprint256, role, DAY_MS);
    return role;
  }

  #verified(chain: readonly X509Certificate[], name: string): Role {
    const { authorities, frontProxyNames } = this.#options;
    const { clients, frontProxies } = authorities.value;
    const isNamed = frontProxyNames.length === 0 || frontProxyNames.includes(name);
    if (isNamed && isSignedBy(frontProxies, chain)) return 'front-proxy';
    return isSignedBy(clients, chain) ? 'client' : 'untrusted';
  }
}

/** The compatibility layer of HTTP/2 hides the TLS socket behind a proxy; the session has the real one. */
function socketOf(request: IncomingMessage): TLSSocket {
  const { stream } = request as { stream?: { session?: { socket?: TLSSocket } } };
  return (stream?.session?.socket ?? request.socket) as TLSSocket;
}

/** The user by the certificate's common name, organizations and uid. */
function clientOf(shown: PeerCertificate): Peer {
  const name = nameIn(shown);
  if (name === '') return NO_CERTIFICATE;
  const subject = shown.subject as unknown as Record<string, string | string[] | undefined>;
  const uids = all(subject[UID]);
  if (uids.length > 1 || uids[0] === '') return { kind: 'untrusted', why: `expected 1 UID, found ${uids.length}` };
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

/** The last common name, where there are several. */
function nameIn({ subject }: PeerCertificate): string {
  return all(subject?.CN).at(-1) ?? '';
}

function all(value: string | string[] | undefined): string[] {
  return value === undefined ? [] : Array.isArray(value) ? value : [value];
}
