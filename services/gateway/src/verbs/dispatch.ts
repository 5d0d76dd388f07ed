import { methodNotAllowed } from '@tidegate/status';
import { get } from '../reading/get.ts';
import type { Lists } from '../reading/lists.ts';
import type { Watches } from '../reading/watches.ts';
import type { ResourceRequest, VerbHandler, Verbs } from '../request/resource-request.ts';
import { bindingVerbs, oldBindingVerbs } from './binding.ts';
import { componentVerbs } from './component-status.ts';
import { attachVerbs, execVerbs, logVerbs, portForwardVerbs, proxyVerbs } from './connect.ts';
import { create } from './create.ts';
import { deleteCollection, deleteOne } from './delete.ts';
import { evictionVerbs } from './eviction.ts';
import { patch } from './patch.ts';
import { isQuestion, reviewVerbs } from './review.ts';
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

type Asked = Pick<ResourceRequest, 'info' | 'kind'>;

/** The handlers of all verbs. */
export class Dispatch {
  readonly #ofObjects: Verbs;
  readonly #ofReviews: Verbs;
  readonly #ofComponents: Verbs;
  readonly #ofOldBindings: Verbs;
  /** of subresources that are more than another view of their object */
  readonly #ofSubresources: Readonly<Record<string, Verbs>>;

  constructor(ports: VerbPorts) {
    this.#ofObjects = {
      get: get(ports),
      list: (request, reply) => ports.lists.serve(request, reply),
      watch: (request, reply) => ports.watches.serve(request, reply),
      create: create(ports),
      update: update(ports),
      patch: patch(ports),
      delete: deleteOne(ports),
      deletecollection: deleteCollection(ports),
    };
    this.#ofReviews = reviewVerbs(ports);
    this.#ofComponents = componentVerbs(ports);
    this.#ofOldBindings = oldBindingVerbs(ports);
    this.#ofSubresources = {
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

  /** The handler of a request; undefined when there is nothing at its path. A verb that the resource lacks is an error. */
  handlerOf(asked: Asked): VerbHandler | undefined {
    return servedBy(asked, this.#verbsOf(asked)[asked.info.verb]);
  }

  #verbsOf({ info, kind }: Asked): Verbs {
    if (info.subresource !== '') return this.#ofSubresources[info.subresource] ?? this.#ofObjects;
    if (kind.storedAs === 'bindings') return this.#ofOldBindings;
    if (kind.storedAs === 'componentstatuses') return this.#ofComponents;
    return isQuestion(kind) ? this.#ofReviews : this.#ofObjects;
  }
}

/** The handler, when the resource or subresource has its verb; undefined when there is nothing at the path. */
function servedBy({ info, kind }: Asked, handler: VerbHandler | undefined): VerbHandler | undefined {
  if (info.subresource !== '') {
    const { subresources } = kind.entry;
    const found = Object.hasOwn(subresources, info.subresource) ? subresources[info.subresource] : undefined;
    if (found === undefined || info.name === '') return undefined;
    // of a proxy the verbs are those of whom it leads to
    const isServed = info.subresource === 'proxy' || found.verbs.includes(info.verb);
    // what is below an object of a namespace is found through its namespace only
    if (kind.entry.namespaced && info.namespace === '') return undefined;
    if (handler === undefined || !isServed) throw methodNotAllowed();
    return handler;
  }
  const isOutside = kind.entry.namespaced && info.namespace === '';
  // one object of a namespaced kind is found through its namespace only
  if (isOutside && info.name !== '') return undefined;
  if (handler === undefined || !kind.entry.verbs.includes(info.verb)) throw methodNotAllowed();
  // nothing is deleted in all namespaces at once
  if (isOutside && info.verb === 'deletecollection') throw methodNotAllowed();
  const single = info.verb === 'get' || info.verb === 'update' || info.verb === 'patch' || info.verb === 'delete';
  if (single && info.name === '') throw methodNotAllowed();
  return handler;
}
