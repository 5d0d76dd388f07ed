import type { Key } from '@tidegate/wire';
import { authentication } from '../authn/authentication.ts';
import { ServiceAccounts, sharedLookups } from '../authn/service-accounts.ts';
import { authorizationModes } from '../authz/authorization-configuration.ts';
import { Authorizer } from '../authz/authorizer.ts';
import { PolicyMirror } from '../authz/policy-mirror.ts';
import { WatchRights } from '../authz/watch-rights.ts';
import type { Data } from './data.ts';
import type { Given } from './given.ts';
import { rateLimited } from './rate-limited.ts';

export type Access = ReturnType<typeof composeAccess>;

/** Authentication and authorization. */
export function composeAccess({ config, kit }: Given, { mirrors, store, operatorsWebhooks, live }: Data) {
  const webhookOptions = { calls: operatorsWebhooks, warn: (words: string) => kit.log.warn(words) };
  const modes = authorizationModes(config, { ...webhookOptions, warn: rateLimited(webhookOptions.warn) });
  for (const notice of modes.notices) kit.log.warn(notice);
  const roles = new PolicyMirror({ mirrors, store, changed: () => watchRights.changed() });
  live.add(...roles.views);
  const authorizer = new Authorizer(modes, roles);
  const watchRights = new WatchRights((user, info) => authorizer.recheck(user, info));
  const uidOf = async (key: Key) => {
    const { found, object } = await store.read(key);
    return found && object !== null && !object.deleting ? object.uid : undefined;
  };
  const serviceAccounts = ServiceAccounts.from(config, sharedLookups(uidOf));
  const { authenticator, tokens, ...keys } = authentication(config, {
    log: kit.log,
    serviceAccounts,
    refused: rateLimited((why) => kit.log.info({ why }, 'A request was not authenticated.')),
    ...webhookOptions,
  });
  return {
    authenticator,
    authorizer,
    tokens,
    serviceAccounts,
    roles,
    watchRights,
    start() {
      roles.start();
      keys.start();
    },
    stop: () => keys.stop(),
  };
}
