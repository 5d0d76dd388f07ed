const UNKNOWN_AUTHORITY = 'tls: failed to verify certificate: x509: certificate signed by unknown authority';
const NO_TLS = 'tls: first record does not look like a TLS handshake';

/** The texts of failed connections by Node's error code, in the words that Kubernetes users know. */
const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connect: connection refused',
  ECONNRESET: 'EOF',
  EPIPE: 'EOF',
  EHOSTUNREACH: 'connect: no route to host',
  ENETUNREACH: 'connect: network is unreachable',
  ETIMEDOUT: 'connect: connection timed out',
  DEPTH_ZERO_SELF_SIGNED_CERT: UNKNOWN_AUTHORITY,
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_AUTHORITY,
  CERT_HAS_EXPIRED: 'tls: failed to verify certificate: x509: certificate has expired or is not yet valid',
  ERR_TLS_CERT_ALTNAME_INVALID: 'tls: failed to verify certificate: x509: certificate is valid for other names',
  ERR_SSL_WRONG_VERSION_NUMBER: NO_TLS,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: NO_TLS,
};

/** undefined for other codes: Node's own text is for the log only. */
export function knownDialErrorText({ code = '' }: Error & { readonly code?: string }): string | undefined {
  return WORDS[code];
}

/**
 * The text for clients. It never includes texts of Node or OpenSSL, which name source files of OpenSSL and names in
 * certificates that the client may not see. The texts of Node's HTTP parser are safe, because they describe the answer
 * only.
 */
export function dialErrorText(error: Error & { readonly code?: string }): string {
  const { code = '' } = error;
  if (code.startsWith('HPE_')) return error.message;
  return (
    knownDialErrorText(error) ?? (/SSL|TLS|CERT|EPROTO/.test(code) ? 'tls: handshake failure' : 'connection failed')
  );
}
