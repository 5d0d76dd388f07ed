import { isJsonObject, type JsonObject, parseOwnJson } from '@tidegate/schema';
import { Document } from '../discovery/document.ts';
import type { AskRemote } from './remote-discovery.ts';

const INDEX_BYTES = 1 << 20;
const MOST_BYTES = 16 << 20;
const JSON_TYPE = 'application/json';
/** as it is asked for, and as it is called in answers: a media type has no `@` */
const PROTOBUF_ASKED = 'application/com.github.proto-openapi.spec.v3@v1.0+protobuf';
const PROTOBUF_TYPE = 'application/com.github.proto-openapi.spec.v3.v1.0+protobuf';

/**
 * The OpenAPI document of one group version of a server behind the API, version 3. It is read again when the server's
 * index names another hash; a server without an index has no document.
 *
 * Invariant: a document that is told is whole; while the server cannot be asked, the last one is told.
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

  /** The same as Protobuf; undefined where the server does not speak it. */
  get protobuf(): Document | undefined {
    return this.#protobuf;
  }

  async refresh(ask: AskRemote): Promise<void> {
    const known = this.#etag === '' ? [] : ['If-None-Match', this.#etag];
    const index = await ask('/openapi/v3', { headers: ['Accept', JSON_TYPE, ...known], mostBytes: INDEX_BYTES });
    if (index.code === 304) return;
    const url = index.code === 200 ? this.#urlIn(parseOwnJson(index.body)) : '';
    if (url === '') this.#forget();
    // a URL without a hash may be of another document each time
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
