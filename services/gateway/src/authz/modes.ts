import { OptionError } from '@tidegate/options';

/** How it is decided who may do what. */
export interface AuthorizationModes {
  readonly byRoles: boolean;
  /** everybody may do everything */
  readonly always: boolean;
  /** for the log */
  readonly notices: readonly string[];
}

const NOTICES: Readonly<Record<string, string>> = {
  AlwaysAllow:
    'Authorization is off (--authorization-mode=AlwaysAllow): whoever has a name here may do everything, and so may everybody where anonymous requests are taken.',
  Node: 'There is no authorizer of nodes here: with --authorization-mode=Node nodes may do what roles give them, such as system:node bound to the group system:nodes.',
};

const ELSEWHERE: Readonly<Record<string, string>> = {
  ABAC: 'give the same rights by roles (RBAC)',
  AlwaysDeny: 'with RBAC alone nothing is allowed that no role allows',
  Webhook: 'no other server is asked here: give rights by roles (RBAC)',
};

/** The list of --authorization-mode, in kube-apiserver's names. */
export function readModes(names: readonly string[]): AuthorizationModes {
  if (names.length === 0) throw new OptionError('--authorization-mode needs at least one of RBAC, AlwaysAllow, Node');
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) throw new OptionError(`--authorization-mode names ${twice} twice`);
  for (const name of names) {
    if (name === 'RBAC' || Object.hasOwn(NOTICES, name)) continue;
    const why = Object.hasOwn(ELSEWHERE, name) ? `; ${ELSEWHERE[name]}` : '';
    throw new OptionError(`--authorization-mode takes RBAC, AlwaysAllow and Node, not ${JSON.stringify(name)}${why}`);
  }
  return {
    byRoles: names.includes('RBAC'),
    always: names.includes('AlwaysAllow'),
    notices: names.flatMap((name) => NOTICES[name] ?? []),
  };
}
