import { OptionError } from '@tidegate/options';
import type { AccessWebhook } from './access-webhook.ts';

/** An authorizer. They are asked in order, and the first that allows or denies decides. */
type Step = 'roles' | 'allow-all' | AccessWebhook;

export interface AuthorizationModes {
  readonly steps: readonly Step[];
  /** warnings for the log */
  readonly notices: readonly string[];
}

const NOTICES: Readonly<Record<string, string>> = {
  AlwaysAllow:
    'Authorization is off (--authorization-mode=AlwaysAllow): every authenticated user may do everything, and so may every client where anonymous requests are allowed.',
  Node: 'The Node authorizer is not implemented: with --authorization-mode=Node the rights of nodes come from roles, such as system:node bound to the group system:nodes.',
};

const ELSEWHERE: Readonly<Record<string, string>> = {
  ABAC: 'grant the same rights by roles (RBAC)',
  AlwaysDeny: 'RBAC alone denies everything that no role allows',
};

/** The list of --authorization-mode, in kube-apiserver's names. */
export function readModes(names: readonly string[], webhook?: AccessWebhook): AuthorizationModes {
  if (names.length === 0) {
    throw new OptionError('--authorization-mode needs at least one of RBAC, Webhook, AlwaysAllow, Node');
  }
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) throw new OptionError(`--authorization-mode names ${twice} twice`);
  const isNamed = names.includes('Webhook');
  if (isNamed !== (webhook !== undefined)) {
    throw new OptionError(
      '--authorization-mode=Webhook and --authorization-webhook-config-file must be specified together',
    );
  }
  return modesOf(names.map((name) => (name === 'Webhook' && webhook !== undefined ? webhook : name)));
}

/** `asked`: names of modes, and webhooks. */
export function modesOf(asked: ReadonlyArray<string | AccessWebhook>): AuthorizationModes {
  const steps = asked.flatMap((one): Step[] => {
    if (typeof one !== 'string') return [one];
    if (one === 'RBAC') return ['roles'];
    if (one === 'AlwaysAllow') return ['allow-all'];
    if (one === 'Node') return [];
    const why = Object.hasOwn(ELSEWHERE, one) ? `; ${ELSEWHERE[one]}` : '';
    throw new OptionError(
      `--authorization-mode takes RBAC, Webhook, AlwaysAllow and Node, not ${JSON.stringify(one)}${why}`,
    );
  });
  return { steps, notices: asked.flatMap((one) => (typeof one === 'string' ? (NOTICES[one] ?? []) : [])) };
}
