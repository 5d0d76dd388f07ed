import { OptionError } from '@tidegate/options';
import { type Kit, WatchedFiles } from '@tidegate/service-kit';
import { OperatorsWebhook, webhookIn } from '../callouts/operators-webhook.ts';
import type { WebhookCalls } from '../callouts/webhook-calls.ts';
import { durationOf } from '../configuration/duration.ts';
import { fetchDocument } from '../tokens/issuer-keys.ts';
import { issuerOfOptions, type OidcConfig } from '../tokens/oidc-options.ts';
import { TokenFile } from '../tokens/token-authority.ts';
import { type IssuerSettings, TokenIssuer } from '../tokens/token-issuer.ts';
import { type AuthenticationConfiguration, readAuthenticationConfiguration } from './authentication-configuration.ts';
import { type AnonymousPaths, Authenticator, NOWHERE, USUAL_PATHS } from './authenticator.ts';
import { BearerTokens } from './bearer-tokens.ts';
import { type Authorities, readAuthorities } from './certificates.ts';
import { Connections } from './connections.ts';
import { type FrontProxyConfig, FrontProxyHeaders } from './front-proxy.ts';
import type { ServiceAccounts } from './service-accounts.ts';
import { TokenWebhook } from './token-webhook.ts';

export interface AuthenticationConfig extends FrontProxyConfig, OidcConfig {
  readonly clientCaFile: string;
  readonly requestheaderClientCaFile: string;
  readonly requestheaderAllowedNames: readonly string[];
  readonly tokenAuthFile: readonly string[];
  readonly serviceAccountIssuer: readonly string[];
  readonly apiAudiences: readonly string[];
  readonly anonymousAuth: boolean;
  readonly authenticationConfig: string;
  readonly authenticationTokenWebhookConfigFile: string;
  readonly authenticationTokenWebhookVersion: string;
  readonly authenticationTokenWebhookCacheTtl: string;
}

interface Dependencies {
  readonly serviceAccounts: ServiceAccounts | undefined;
  /** calls webhooks that the operator has configured */
  readonly calls: Pick<WebhookCalls, 'call'>;
  readonly log: Kit['log'];
  /** gets the reason for each failed authentication */
  readonly refused: (why: string) => void;
  /** gets failures of issuers and webhooks */
  readonly warn: (words: string) => void;
}

/** The configured authentication of this server. */
export interface Authentication {
  readonly authenticator: Authenticator;
  readonly tokens: BearerTokens;
  /** begins to fetch the keys of issuers in the background */
  start(): void;
  stop(): void;
}

/** Builds the authenticators that the options enable, and only those. */
export function authentication(config: AuthenticationConfig, dependencies: Dependencies): Authentication {
  const { serviceAccounts, refused, warn, log } = dependencies;
  const file = config.authenticationConfig;
  const fromFile = file === '' ? undefined : readAuthenticationConfiguration(file, config.serviceAccountIssuer);
  const issuers = issuersOf(config, fromFile).map(
    (settings) => new TokenIssuer(settings, { fetch: fetchDocument, warn }),
  );
  const authorities = authorityFiles(config, log);
  const audiences = config.apiAudiences.length > 0 ? config.apiAudiences : config.serviceAccountIssuer;
  const tokens = new BearerTokens({
    authorities: [
      new TokenFile(config.tokenAuthFile),
      ...(serviceAccounts === undefined ? [] : [serviceAccounts]),
      ...issuers,
      ...tokenWebhooks(config, dependencies, audiences),
    ],
    audiences,
  });
  const authenticator = new Authenticator({
    connections: new Connections({ authorities, frontProxyNames: config.requestheaderAllowedNames }),
    frontProxy: config.requestheaderClientCaFile === '' ? undefined : new FrontProxyHeaders(config),
    tokens,
    anonymous: anonymousPaths(config.anonymousAuth, fromFile?.anonymous),
    onRefusal: refused,
  });
  return {
    authenticator,
    tokens,
    start: () => {
      for (const issuer of issuers) issuer.start();
    },
    stop: () => {
      for (const issuer of issuers) issuer.stop();
      authorities.close();
    },
  };
}

function issuersOf(config: AuthenticationConfig, fromFile: AuthenticationConfiguration | undefined): IssuerSettings[] {
  const ofFlags = issuerOfOptions(config, config.serviceAccountIssuer);
  if (fromFile === undefined) return ofFlags === undefined ? [] : [ofFlags];
  if (ofFlags === undefined) return [...fromFile.issuers];
  throw new OptionError(
    '--oidc-issuer-url and --authentication-config exclude each other: name the issuer in the file',
  );
}

const WEBHOOK_TIMEOUT_MS = 10_000;

function tokenWebhooks(config: AuthenticationConfig, { calls }: Dependencies, audiences: readonly string[]) {
  const { authenticationTokenWebhookConfigFile: file, authenticationTokenWebhookVersion: version } = config;
  if (file === '') return [];
  if (version !== 'v1' && version !== 'v1beta1') {
    throw new OptionError(
      `--authentication-token-webhook-version takes v1 and v1beta1, not ${JSON.stringify(version)}`,
    );
  }
  const target = webhookIn(file, '--authentication-token-webhook-config-file');
  const webhook = new OperatorsWebhook(target, { calls, timeoutMs: WEBHOOK_TIMEOUT_MS });
  const cacheMs = durationOf('authentication-token-webhook-cache-ttl', config.authenticationTokenWebhookCacheTtl);
  return [new TokenWebhook({ webhook, version, cacheMs, audiences })];
}

/** The files are read again when they change, as the TLS server does. */
function authorityFiles(config: AuthenticationConfig, log: Kit['log']) {
  const { clientCaFile, requestheaderClientCaFile, requestheaderAllowedNames } = config;
  return new WatchedFiles({
    files: [clientCaFile, requestheaderClientCaFile].filter((file) => file !== ''),
    read: () => {
      const clients = authoritiesIn('client-ca-file', clientCaFile);
      const frontProxies = authoritiesIn('requestheader-client-ca-file', requestheaderClientCaFile);
      if (requestheaderAllowedNames.length === 0) refuseOverlap(clients, frontProxies);
      return { clients, frontProxies };
    },
    log,
  });
}

function authoritiesIn(option: string, file: string): Authorities {
  return file === '' ? [] : readAuthorities(option, file);
}

/** Otherwise every client could act as a front proxy and name any user. */
function refuseOverlap(clients: Authorities, frontProxies: Authorities): void {
  const isInBoth = frontProxies.some((one) => clients.some((other) => one.fingerprint256 === other.fingerprint256));
  if (!isInBoth) return;
  throw new OptionError(
    '--requestheader-client-ca-file and --client-ca-file contain overlapping certificates; --requestheader-allowed-names must be specified to ensure regular client certificates cannot set authenticating proxy headers for arbitrary users',
  );
}

function anonymousPaths(isAllowed: boolean, fromFile: AnonymousPaths | undefined): AnonymousPaths {
  if (fromFile === undefined) return isAllowed ? USUAL_PATHS : NOWHERE;
  if (isAllowed) return fromFile;
  throw new OptionError('--anonymous-auth and anonymous in the file of --authentication-config exclude each other');
}
