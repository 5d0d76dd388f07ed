import { parentPort } from 'node:worker_threads';
import { decodeYaml } from '@tidegate/schema';
import { ApiError } from '@tidegate/status';

/** The parsed text, or why it was rejected. */
export type YamlReply =
  | {
      readonly value: unknown;
      readonly twice: ReadonlyMap<object, Set<string>> | undefined;
      readonly lines: readonly string[];
    }
  | { readonly refusal: string };

parentPort?.on('message', (text: Uint8Array) => parentPort?.postMessage(read(text)));

function read(text: Uint8Array): YamlReply {
  try {
    const { value, notes } = decodeYaml(text);
    return { value, twice: notes?.repeatedKeys, lines: notes?.lines ?? [] };
  } catch (error) {
    if (error instanceof ApiError) return { refusal: error.message };
    throw error;
  }
}
