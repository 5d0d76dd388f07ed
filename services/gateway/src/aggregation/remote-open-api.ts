import { isJsonObject, type JsonObject, parseOwnJson } from '@tidegate/schema';
import { Document } from '../discovery/document.ts';
import type { AskRemote } from './remote-discovery.ts';

const INDEX_BYTES = 1 << 20;
const MOST_BYTES = 16 << 20;
const JSON_TYPE = 'application/json';
/** the name in requests and the name in answers, because a media type has no `@` */
const PROTOBUF_ASKED = 'application/com.github.proto-openapi.spec.v3@v1.0+protobuf';
const PROTOBUF_TYPE = 'application/com.github.proto-openapi.spec.v3.v1.0+protobuf';

/**
 * The OpenAPI v3 document of one remote group version. It is read again when the server's index has a new hash; a
 * server without an index has no document.
 *
 * Invariant: the document is complete; while the server is unreachable, the last document is served.
 */
export class RemoteOpenApi {
  readonly #place: string;
  #url = '';
  #etag = '';
  #document: Document | undefined;
  #protobuf: Document | undefined;

  constructor(groupVersion: string) {
    this.#place = `apis/${groupVersion}`;
  }

  get document(): Document | undefined {
    return this.#document;
  }

  /** The document in Protobuf; undefined where the server does not support it. */
  get protobuf(): Document | undefined {
    return this.#protobuf;
  }

  async refresh(ask: AskRemote): Promise<void> {
    const known = this.#etag === '' ? [] : ['If-None-Match', this.#etag];
    const index = await ask('/openapi/v3', { headers: ['Accept', JSON_TYPE, ...known], mostBytes: INDEX_BYTES });
    if (index.code === 304) return;
    const url = index.code === 200 ? this.#urlIn(parseOwnJson(index.body)) : '';
    if (url === '') this.#forget();
    // the document behind a URL without a hash may have changed
    else if (url !== this.#url || !url.includes('hash=')) await this.#read(ask, url);
    this.#etag = String(index.headers.etag ?? '');
  }

  #forget(): void {
    this.#url = '';
    this.#document = undefined;
    this.#protobuf = undefined;
  }

  async #read(ask: AskRemote, url: string): Promise<void> {
    const get = async (accept: string) => {
      const answer = await ask(url, { headers: ['Accept', accept], mostBytes: MOST_BYTES });
      return answer.code === 200 ? answer : undefined;
    };
    const json = await get(JSON_TYPE);
    if (json === undefined) throw new Error(`${url} was not answered with a document`);
    const protobuf = await get(PROTOBUF_ASKED);
    const isProtobuf = /^application\/com\.github\.proto-openapi\.spec\.v3/.test(
      protobuf?.headers['content-type'] ?? '',
    );
    this.#document = new Document(JSON_TYPE, json.body);
    this.#protobuf = isProtobuf && protobuf !== undefined ? new Document(PROTOBUF_TYPE, protobuf.body) : undefined;
    this.#url = url;
  }

  #urlIn(index: unknown): string {
    const { paths } = (isJsonObject(index as JsonObject) ? index : {}) as { paths?: Record<string, JsonObject> };
    const entry = paths !== undefined && Object.hasOwn(paths, this.#place) ? paths[this.#place] : undefined;
    const url = isJsonObject(entry) ? String(entry.serverRelativeURL ?? '') : '';
    return url.startsWith('/') ? url : '';
  }
}
