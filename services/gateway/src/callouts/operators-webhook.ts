import { readClusterAccess } from '@tidegate/kubeconfig';
import { OptionError } from '@tidegate/options';
import type { JsonObject } from '@tidegate/schema';
import { type ClientConfig, Unanswered, type WebhookCalls, WebhookFailure } from './webhook-calls.ts';

/** The largest answer: a review holds only a user, or a decision. */
const MOST_BYTES = 1 << 20;

/** A webhook that the operator configures with a kubeconfig file. */
export class OperatorsWebhook {
  readonly #config: ClientConfig;
  readonly #calls: Pick<WebhookCalls, 'call'>;
  readonly #timeoutMs: number;

  constructor(config: ClientConfig, { calls, timeoutMs }: { calls: Pick<WebhookCalls, 'call'>; timeoutMs: number }) {
    this.#config = config;
    this.#calls = calls;
    this.#timeoutMs = timeoutMs;
  }

  /**
   * Sends a review and returns the answer. A failed call throws a WebhookFailure with all details: no client chooses
   * the address of these calls, and the text is for the log.
   */
  async ask(body: JsonObject): Promise<JsonObject> {
    const timeoutMs = this.#timeoutMs;
    try {
      const call = { config: this.#config, body, timeoutMs, maxAnswerBytes: MOST_BYTES, hidesTime: true };
      return await this.#calls.call(call);
    } catch (error) {
      if (error instanceof Unanswered) throw new WebhookFailure(error.details, { cause: error });
      throw error;
    }
  }
}

/** Reads the kubeconfig of a webhook. `named`: the option or field that names the file. */
export function webhookIn(file: string, named: string): ClientConfig {
  const { server, ca, insecure, serverName, cert, key, authorization } = readClusterAccess(file);
  const refuse = (why: string) => new OptionError(`${named} ${file}: ${why}`);
  if (URL.parse(server)?.protocol !== 'https:') {
    throw refuse(`the server must be an https URL, not ${JSON.stringify(server)}`);
  }
  if (insecure) throw refuse('insecure-skip-tls-verify is not taken: name the authority of its certificate');
  if ((cert === undefined) !== (key === undefined)) throw refuse('a client certificate and its key belong together');
  return {
    url: server,
    ...(ca === undefined ? {} : { caBundle: Buffer.from(ca).toString('base64') }),
    identity: {
      ...(serverName === undefined ? {} : { serverName }),
      ...(cert === undefined ? {} : { cert }),
      ...(key === undefined ? {} : { key }),
      ...(authorization === undefined ? {} : { authorization }),
    },
  };
}
