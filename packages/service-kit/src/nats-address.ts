interface NatsAddress {
  servers: string[];
  user?: string;
  pass?: string;
}

/** `nats://user:password@host:port[,host:port...]` as the client wants it: it does not read credentials from a URL. */
export function natsAddress(url: string): NatsAddress {
  const first = new URL(url.split(',')[0] as string);
  const servers = url.split(',').map((text) => (text.includes('://') ? new URL(text).host : text));
  if (first.username === '') return { servers };
  return { servers, user: decodeURIComponent(first.username), pass: decodeURIComponent(first.password) };
}
