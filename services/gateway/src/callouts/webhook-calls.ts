import { Agent, request as send } from 'node:https';
import { isIP } from 'node:net';
import { isJsonObject, type JsonObject, parseOwnJson } from '@tidegate/schema';
import { trusting } from '@tidegate/service-kit';
import type { AllowedAddresses } from './allowed-addresses.ts';
import { knownDialErrorText } from './dial-errors.ts';
import { NoTarget, type ServiceReference, type ServiceTargets } from './service-targets.ts';

/** The client configuration of a webhook. */
export interface ClientConfig {
  readonly url?: string;
  readonly service?: ServiceReference;
  /** the trusted authorities in base64; absent: those of the system */
  readonly caBundle?: string;
  /** this server's credentials for the webhook; only files of the operator can set them, API objects cannot */
  readonly identity?: Identity;
}

interface Identity {
  /** the name that the webhook's certificate must have, where it differs from the URL's host */
  readonly serverName?: string;
  /** the client certificate, as PEM */
  readonly cert?: string;
  readonly key?: string;
  /** the value of the Authorization header */
  readonly authorization?: string;
}

/** Reads the client configuration from a webhook configuration or a definition. */
export function clientConfigOf(value: unknown): ClientConfig {
  const config = isJsonObject(value) ? value : {};
  return {
    ...(typeof config.url === 'string' ? { url: config.url } : {}),
    ...(typeof config.caBundle === 'string' ? { caBundle: config.caBundle } : {}),
    ...(isJsonObject(config.service) ? { service: config.service as unknown as ServiceReference } : {}),
  };
}

export interface WebhookCall {
  readonly config: ClientConfig;
  readonly body: JsonObject;
  readonly timeoutMs: number;
  readonly maxAnswerBytes: number;
  /** leaves the timeout parameter out of the URL */
  readonly hidesTime?: boolean;
}

/** A webhook could not be reached, or its answer is invalid. */
export class WebhookFailure extends Error {}

/**
 * The webhook did not answer. Users who write a configuration choose the address of the call, and clients see its
 * failure: the message hides what was found there, so that a webhook cannot be used to scan a network that the user has
 * no access to.
 */
export class Unanswered extends WebhookFailure {
  /** the actual failure, for the log */
  readonly details: string;

  constructor(message: string, { details, cause }: { details: string; cause: unknown }) {
    super(message, { cause });
    this.details = details;
  }
}

const LATE = 'context deadline exceeded';
const NOT_REACHED = "the webhook could not be reached; the server's log tells why";

interface Target {
  readonly url: URL;
  readonly ip: string;
  readonly port: number;
}

/** The largest headers of an answer. */
const MAX_HEADER_BYTES = 64 << 10;

/**
 * Calls webhooks over keep-alive connections. Redirects are not followed.
 *
 * Invariant: the checked address is the one that is connected to, even when the name resolves differently later.
 */
export class WebhookCalls {
  readonly #addresses: AllowedAddresses;
  readonly #services: ServiceTargets;
  readonly #agent = new Agent({ keepAlive: true, maxFreeSockets: 16, timeout: 90_000 });

  readonly #warn: (words: string) => void;

  constructor(addresses: AllowedAddresses, services: ServiceTargets, warn: (words: string) => void = () => {}) {
    this.#addresses = addresses;
    this.#services = services;
    this.#warn = warn;
  }

  /** The object that the webhook answers with. */
  async call(call: WebhookCall): Promise<JsonObject> {
    const url = urlOf(call);
    const end = AbortSignal.timeout(call.timeoutMs);
    try {
      const target = await within(end, this.#find(url, call.config));
      return parsed(await this.#post(target, call, end));
    } catch (error) {
      if (error instanceof WebhookFailure) throw error;
      const about = `Post ${JSON.stringify(url.href)}`;
      const details = `${about}: ${end.aborted ? LATE : errorText(error as Error)}`;
      this.#warn(`A webhook did not answer: ${details}`);
      const text = end.aborted ? LATE : error instanceof NoTarget ? error.message : NOT_REACHED;
      throw new Unanswered(`${about}: ${text}`, { details, cause: error });
    }
  }

  close(): void {
    this.#agent.destroy();
  }

  async #find(url: URL, { service }: ClientConfig): Promise<Target> {
    const port = url.port === '' ? 443 : Number(url.port);
    if (service === undefined) return { url, port, ip: await this.#addresses.of(hostOf(url)) };
    const found = await this.#services.find(service);
    return { url, port: found.port, ip: await this.#addresses.of(found.host) };
  }

  async #post(target: Target, call: WebhookCall, end: AbortSignal): Promise<Buffer> {
    try {
      return await this.#attempt(target, call, end);
    } catch (error) {
      if (error instanceof Dropped) return this.#attempt(target, call, end);
      throw error;
    }
  }

  #attempt({ url, ip, port }: Target, call: WebhookCall, end: AbortSignal): Promise<Buffer> {
    const body = Buffer.from(JSON.stringify(call.body));
    const { caBundle = '', identity: { serverName, authorization, ...certificate } = {} } = call.config;
    const host = serverName ?? hostOf(url);
    return new Promise((resolve, reject) => {
      const sent = send({
        agent: this.#agent,
        method: 'POST',
        host: ip,
        port,
        path: `${url.pathname}${url.search}`,
        servername: isIP(host) === 0 ? host : '',
        ...(caBundle === '' ? {} : trusting(Buffer.from(caBundle, 'base64'))),
        ...certificate,
        minVersion: 'TLSv1.2',
        maxHeaderSize: MAX_HEADER_BYTES,
        signal: end,
        headers: {
          Host: url.host,
          Accept: 'application/json',
          'Content-Type': 'application/json',
          'Content-Length': body.length,
          ...(authorization === undefined ? {} : { Authorization: authorization }),
        },
      });
      // the webhook closed the keep-alive connection before it read this call
      sent.on('error', (error) => reject(sent.reusedSocket && isReset(error) ? new Dropped() : error));
      sent.on('response', (response) => {
        const parts: Buffer[] = [];
        let bytes = 0;
        response.on('data', (part: Buffer) => {
          bytes += part.length;
          if (bytes <= call.maxAnswerBytes) parts.push(part);
          else response.destroy(new WebhookFailure(`the answer is larger than ${call.maxAnswerBytes} bytes`));
        });
        response.on('error', reject);
        response.on('end', () => {
          const { statusCode = 0 } = response;
          const answer = Buffer.concat(parts);
          if (statusCode >= 200 && statusCode < 300) resolve(answer);
          else reject(new WebhookFailure(refusal(statusCode, answer)));
        });
      });
      sent.end(body);
    });
  }
}

class Dropped extends Error {}

function isReset(error: Error & { code?: string }): boolean {
  return error.code === 'ECONNRESET' || error.code === 'EPIPE';
}

/** The URL in failures; its host is the name in the certificate of a Service. */
function urlOf({ config: { url, service }, timeoutMs, hidesTime = false }: WebhookCall): URL {
  const text =
    service === undefined
      ? (url ?? '')
      : `https://${service.name}.${service.namespace}.svc:${service.port ?? 443}/${(service.path ?? '').replace(/^\//, '')}`;
  const parsedUrl = URL.parse(text);
  if (parsedUrl === null || parsedUrl.protocol !== 'https:') {
    throw new WebhookFailure(`${JSON.stringify(text)} is no https URL`);
  }
  if (!hidesTime) parsedUrl.searchParams.set('timeout', `${timeoutMs / 1000}s`);
  return parsedUrl;
}

function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}

function parsed(answer: Buffer): JsonObject {
  let value: unknown;
  try {
    value = parseOwnJson(answer);
  } catch (error) {
    throw new WebhookFailure(`the answer is no JSON: ${(error as Error).message}`, { cause: error });
  }
  if (!isJsonObject(value)) throw new WebhookFailure('the answer is no JSON object');
  return value;
}

const MAX_ERROR_TEXT = 1024;

/** The text of an error answer: the message of a Status, or the beginning of the body. */
function refusal(code: number, answer: Buffer): string {
  try {
    const status = parseOwnJson(answer);
    if (status.kind === 'Status' && typeof status.message === 'string') return status.message.slice(0, MAX_ERROR_TEXT);
  } catch {
    // a SyntaxError, or a TypeError because it is null: not a Status, so the body's text is used
  }
  if (code >= 300 && code < 400) return `it answered ${code}, and redirects are not followed`;
  if (code === 404) return 'the server could not find the requested resource';
  const words = answer.subarray(0, MAX_ERROR_TEXT).toString('utf8').trim();
  return `an error on the server (${JSON.stringify(words === '' ? `code ${code}` : words)}) has prevented the request from succeeding`;
}

function errorText(error: Error & { code?: string; address?: string; port?: number }): string {
  const words = knownDialErrorText(error);
  if (words === undefined) return error.message.trim();
  return error.address === undefined ? words : `dial tcp ${error.address}:${error.port}: ${words}`;
}

function within<T>(end: AbortSignal, work: Promise<T>): Promise<T> {
  return Promise.race([
    work,
    new Promise<never>((_, reject) => {
      end.addEventListener('abort', () => reject(new Error('it took too long')), { once: true });
    }),
  ]);
}
