import { methodNotAllowed } from '@tidegate/status';
import { get } from '../reading/get.ts';
import type { Lists } from '../reading/lists.ts';
import type { Watches } from '../reading/watches.ts';
import type { ResourceRequest, VerbHandler, Verbs } from '../request/resource-request.ts';
import { bindingVerbs, legacyBindingVerbs } from './binding.ts';
import { componentVerbs } from './component-status.ts';
import { attachVerbs, execVerbs, logVerbs, portForwardVerbs, proxyVerbs } from './connect.ts';
import { create } from './create.ts';
import { deleteCollection, deleteOne } from './delete.ts';
import { evictionVerbs } from './eviction.ts';
import { patch } from './patch.ts';
import { isReview, reviewVerbs } from './review.ts';
import { scaleVerbs } from './scale.ts';
import { tokenVerbs } from './token.ts';
import { update } from './update.ts';

interface StreamingPorts {
  readonly lists: Pick<Lists, 'serve'>;
  readonly watches: Pick<Watches, 'serve'>;
}

/** What all verbs together need from other rooms. */
export type VerbPorts = StreamingPorts &
  Parameters<typeof get>[0] &
  Parameters<typeof create>[0] &
  Parameters<typeof patch>[0] &
  Parameters<typeof deleteOne>[0] &
  Parameters<typeof deleteCollection>[0] &
  Parameters<typeof bindingVerbs>[0] &
  Parameters<typeof componentVerbs>[0] &
  Parameters<typeof evictionVerbs>[0] &
  Parameters<typeof execVerbs>[0] &
  Parameters<typeof logVerbs>[0] &
  Parameters<typeof proxyVerbs>[0] &
  Parameters<typeof reviewVerbs>[0] &
  Parameters<typeof scaleVerbs>[0] &
  Parameters<typeof tokenVerbs>[0];

type Addressed = Pick<ResourceRequest, 'info' | 'kind'>;

/** The handlers of all verbs. */
export class Dispatch {
  readonly #objectVerbs: Verbs;
  readonly #reviewVerbs: Verbs;
  readonly #componentVerbs: Verbs;
  readonly #legacyBindingVerbs: Verbs;
  /** of subresources that are more than another view of their object */
  readonly #subresourceVerbs: Readonly<Record<string, Verbs>>;

  constructor(ports: VerbPorts) {
    this.#objectVerbs = {
      get: get(ports),
      list: (request, reply) => ports.lists.serve(request, reply),
      watch: (request, reply) => ports.watches.serve(request, reply),
      create: create(ports),
      update: update(ports),
      patch: patch(ports),
      delete: deleteOne(ports),
      deletecollection: deleteCollection(ports),
    };
    this.#reviewVerbs = reviewVerbs(ports);
    this.#componentVerbs = componentVerbs(ports);
    this.#legacyBindingVerbs = legacyBindingVerbs(ports);
    this.#subresourceVerbs = {
      attach: attachVerbs(ports),
      binding: bindingVerbs(ports),
      eviction: evictionVerbs(ports),
      exec: execVerbs(ports),
      log: logVerbs(ports),
      portforward: portForwardVerbs(ports),
      proxy: proxyVerbs(ports),
      scale: scaleVerbs(ports),
      token: tokenVerbs(ports),
    };
  }

  /**
   * The handler of a request; undefined if nothing exists at the path. Throws for a verb that the resource does not
   * have.
   */
  handlerOf(addressed: Addressed): VerbHandler | undefined {
    return servedBy(addressed, this.#verbsOf(addressed)[addressed.info.verb]);
  }

  #verbsOf({ info, kind }: Addressed): Verbs {
    if (info.subresource !== '') return this.#subresourceVerbs[info.subresource] ?? this.#objectVerbs;
    if (kind.storedAs === 'bindings') return this.#legacyBindingVerbs;
    if (kind.storedAs === 'componentstatuses') return this.#componentVerbs;
    return isReview(kind) ? this.#reviewVerbs : this.#objectVerbs;
  }
}

/** The handler, if the resource or subresource has the verb; undefined if nothing exists at the path. */
function servedBy({ info, kind }: Addressed, handler: VerbHandler | undefined): VerbHandler | undefined {
  if (info.subresource !== '') {
    const { subresources } = kind.entry;
    const found = Object.hasOwn(subresources, info.subresource) ? subresources[info.subresource] : undefined;
    if (found === undefined || info.name === '') return undefined;
    // the backend of a proxy decides which verbs it supports
    const isServed = info.subresource === 'proxy' || found.verbs.includes(info.verb);
    // subresources of namespaced objects are served only below their namespace
    if (kind.entry.namespaced && info.namespace === '') return undefined;
    if (handler === undefined || !isServed) throw methodNotAllowed();
    return handler;
  }
  const isOutside = kind.entry.namespaced && info.namespace === '';
  // a namespaced object is served only below its namespace
  if (isOutside && info.name !== '') return undefined;
  if (handler === undefined || !kind.entry.verbs.includes(info.verb)) throw methodNotAllowed();
  // a deletion in all namespaces at once is not supported
  if (isOutside && info.verb === 'deletecollection') throw methodNotAllowed();
  const single = info.verb === 'get' || info.verb === 'update' || info.verb === 'patch' || info.verb === 'delete';
  if (single && info.name === '') throw methodNotAllowed();
  return handler;
}
