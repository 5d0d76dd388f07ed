import { methodNotAllowed } from '@tidegate/status';
import type { VerbHandler } from '../gateway.ts';
import type { ResourceRequest } from '../request/resource-request.ts';
import { bindingVerbs, oldBindingVerbs } from './binding.ts';
import { componentVerbs } from './component-status.ts';
import { create } from './create.ts';
import { deleteOne } from './delete.ts';
import { deleteCollection } from './delete-collection.ts';
import { evictionVerbs } from './eviction.ts';
import { get } from './get.ts';
import { list } from './list.ts';
import { logVerbs } from './log.ts';
import { patch } from './patch.ts';
import { attachVerbs, execVerbs, portForwardVerbs } from './pod-stream.ts';
import { proxyVerbs } from './proxy.ts';
import { reviewVerbs } from './review.ts';
import { scaleVerbs } from './scale.ts';
import { tokenVerbs } from './token.ts';
import { update } from './update.ts';
import { watch } from './watch.ts';

const VERBS: Readonly<Record<string, VerbHandler>> = {
  get,
  list,
  watch,
  create,
  update,
  patch,
  delete: deleteOne,
  deletecollection: deleteCollection,
};

/** Subresources that are more than another view of their object. */
const OWN_VERBS: Readonly<Record<string, Readonly<Record<string, VerbHandler>>>> = {
  attach: attachVerbs,
  binding: bindingVerbs,
  eviction: evictionVerbs,
  exec: execVerbs,
  log: logVerbs,
  portforward: portForwardVerbs,
  proxy: proxyVerbs,
  scale: scaleVerbs,
  token: tokenVerbs,
};

function verbsOf({ info, kind }: Pick<ResourceRequest, 'info' | 'kind'>): Readonly<Record<string, VerbHandler>> {
  if (info.subresource !== '') return OWN_VERBS[info.subresource] ?? VERBS;
  if (kind.storedAs === 'bindings') return oldBindingVerbs;
  if (kind.storedAs === 'componentstatuses') return componentVerbs;
  return reviewVerbs(kind) ?? VERBS;
}

/** The handler of a verb, when the resource or subresource has it; undefined when there is nothing at the path. */
export function handlerOf({ info, kind }: Pick<ResourceRequest, 'info' | 'kind'>): VerbHandler | undefined {
  const handler = verbsOf({ info, kind })[info.verb];
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
