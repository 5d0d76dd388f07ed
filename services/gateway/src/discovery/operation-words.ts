import type { KindEntry } from '@tidegate/kinds';

/** What an operation does, in kube-apiserver's words: `read status of the specified Pod`. */
export function operationWords(entry: KindEntry, verb: string, subresource: string): string {
  const { kind } = entry;
  const a = article(kind);
  const below = subresource === '' ? '' : `${subresource} of `;
  switch (verb) {
    case 'list':
      // of custom kinds kube-apiserver says less
      return `${entry.verbs.includes('watch') && entry.custom === undefined ? 'list or watch' : 'list'} objects of kind ${kind}`;
    case 'create':
      return `create ${below}${a}${kind}`;
    case 'deletecollection':
      return `delete collection of ${kind}`;
    case 'get':
      return `read ${below}the specified ${kind}`;
    case 'update':
      return `replace ${below}the specified ${kind}`;
    case 'patch':
      return `partially update ${below}the specified ${kind}`;
    default:
      return `delete ${below}${a}${kind}`;
  }
}

export function connectWords({ kind }: KindEntry, method: string, subresource: string): string {
  return `connect ${method.toUpperCase()} requests to ${subresource} of ${kind}`;
}

/** Plurals, such as Endpoints, have none. */
function article(kind: string): string {
  if (/[^s]s$/.test(kind)) return '';
  return /^[aeiou]/i.test(kind) ? 'an ' : 'a ';
}

/** `rbac.authorization.k8s.io` becomes `RbacAuthorization`, `cert-manager.io` `CertManagerIo`, the core group `Core`. */
export function wordOf(name: string): string {
  const words = (name === '' ? 'core' : name.replace(/\.k8s\.io$/, '')).split(/[.-]/);
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

export function tagOf({ group, version }: KindEntry): string {
  const word = wordOf(group);
  return `${word.charAt(0).toLowerCase()}${word.slice(1)}_${version}`;
}
