import { Agent, request as send } from 'node:https';
import { isIP } from 'node:net';
import { isJsonObject, type JsonObject, parseOwnJson } from '@tidegate/schema';
import { trusting } from '@tidegate/service-kit';
import type { AllowedAddresses } from './allowed-addresses.ts';
import { knownDialErrorText } from './dial-errors.ts';
import { NoTarget, type ServiceReference, type ServiceTargets } from './service-targets.ts';

/** How a webhook is reached, as its configuration says. */
export interface ClientConfig {
  readonly url?: string;
  readonly service?: ServiceReference;
  /** in base64: from what its certificate must come; from what the system trusts where it is not there */
  readonly caBundle?: string;
  /** who this server is to it; objects of the API cannot say so, files of its operator can */
  readonly identity?: Identity;
}

interface Identity {
  /** of the certificate that it must show, where that is not the URL's host */
  readonly serverName?: string;
  /** of the certificate that it is shown, as PEM */
  readonly cert?: string;
  readonly key?: string;
  /** the value of the header */
  readonly authorization?: string;
}

/** How a webhook is reached, as a configuration or a definition says. */
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
  /** the URL is as it was given: it does not tell the time that is left */
  readonly hidesTime?: boolean;
}

/** A webhook was not reached, or said nothing that can be used. */
export class WebhookFailure extends Error {}

/**
 * It said nothing at all. Who writes a configuration chooses where the call goes, and clients hear of its failure: the
 * message does not tell what was found there, so that nobody can use a webhook to look at ports and names of a network
 * that is closed to them.
 */
export class Unanswered extends WebhookFailure {
  /** what was found, for the log */
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

/** TLS and its answers are the webhook's own matter; where a call goes is not. */
const MAX_HEADER_BYTES = 64 << 10;

/**
 * Calls webhooks over connections that are kept. Redirects are not followed.
 *
 * Invariant: the address that is connected to is the one that was judged, whatever a name means the next moment.
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
      const details = `${about}: ${end.aborted ? LATE : wordsOf(error as Error)}`;
      this.#warn(`A webhook did not answer: ${details}`);
      const told = end.aborted ? LATE : error instanceof NoTarget ? error.message : NOT_REACHED;
      throw new Unanswered(`${about}: ${told}`, { details, cause: error });
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
      // the other end had closed a connection that was kept, before it read anything of this call
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

/** As it is told in failures, and in the certificate of a Service. */
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

const MAX_TOLD = 1024;

/** What it said, where it says it as a Status does, or in a few words. */
function refusal(code: number, answer: Buffer): string {
  try {
    const status = parseOwnJson(answer);
    if (status.kind === 'Status' && typeof status.message === 'string') return status.message.slice(0, MAX_TOLD);
  } catch {
    // a SyntaxError, or a TypeError because it is null: no Status, and its words are told as they are
  }
  if (code >= 300 && code < 400) return `it answered ${code}, and redirects are not followed`;
  if (code === 404) return 'the server could not find the requested resource';
  const words = answer.subarray(0, MAX_TOLD).toString('utf8').trim();
  return `an error on the server (${JSON.stringify(words === '' ? `code ${code}` : words)}) has prevented the request from succeeding`;
}

function wordsOf(error: Error & { code?: string; address?: string; port?: number }): string {
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
