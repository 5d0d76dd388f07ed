import { OptionError } from '@tidegate/options';
import { type Kit, WatchedFiles } from '@tidegate/service-kit';
import { OperatorsWebhook, webhookIn } from '../callouts/operators-webhook.ts';
import type { WebhookCalls } from '../callouts/webhook-calls.ts';
import { durationOf } from '../configuration/duration.ts';
import { type AuthenticationConfiguration, readAuthenticationConfiguration } from './authentication-configuration.ts';
import { type AnonymousPaths, Authenticator, NOWHERE, USUAL_PATHS } from './authenticator.ts';
import { BearerTokens } from './bearer-tokens.ts';
import { type Authorities, readAuthorities } from './certificates.ts';
import { Connections } from './connections.ts';
import { type FrontProxyConfig, FrontProxyHeaders } from './front-proxy.ts';
import { fetchDocument } from './issuers/issuer-keys.ts';
import { issuerOfOptions, type OidcConfig } from './issuers/oidc-options.ts';
import { type IssuerSettings, TokenIssuer } from './issuers/token-issuer.ts';
import type { ServiceAccounts } from './service-accounts.ts';
import { TokenFile } from './token-authority.ts';
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

interface Surroundings {
  readonly serviceAccounts: ServiceAccounts | undefined;
  /** of webhooks that the operator names */
  readonly calls: Pick<WebhookCalls, 'call'>;
  readonly log: Kit['log'];
  /** why somebody is not known */
  readonly refused: (why: string) => void;
  /** what goes wrong with those who are asked */
  readonly warn: (words: string) => void;
}

/** All by which this server knows who sends a request. */
export interface Authentication {
  readonly authenticator: Authenticator;
  readonly tokens: BearerTokens;
  /** issuers are asked for their keys in the background */
  start(): void;
  stop(): void;
}

/** What the options ask for; what is not asked for is not there, and costs nothing. */
export function authentication(config: AuthenticationConfig, around: Surroundings): Authentication {
  const { serviceAccounts, refused, warn, log } = around;
  const file = config.authenticationConfig;
  const said = file === '' ? undefined : readAuthenticationConfiguration(file, config.serviceAccountIssuer);
  const issuers = issuersOf(config, said).map(
    (settings) => new TokenIssuer(settings, { fetch: fetchDocument, told: warn }),
  );
  const authorities = authorityFiles(config, log);
  const audiences = config.apiAudiences.length > 0 ? config.apiAudiences : config.serviceAccountIssuer;
  const tokens = new BearerTokens({
    authorities: [
      new TokenFile(config.tokenAuthFile),
      ...(serviceAccounts === undefined ? [] : [serviceAccounts]),
      ...issuers,
      ...tokenWebhooks(config, around, audiences),
    ],
    audiences,
  });
  const authenticator = new Authenticator({
    connections: new Connections({ authorities, frontProxyNames: config.requestheaderAllowedNames }),
    frontProxy: config.requestheaderClientCaFile === '' ? undefined : new FrontProxyHeaders(config),
    tokens,
    anonymous: anonymousPaths(config.anonymousAuth, said?.anonymous),
    told: refused,
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

function issuersOf(config: AuthenticationConfig, said: AuthenticationConfiguration | undefined): IssuerSettings[] {
  const ofFlags = issuerOfOptions(config, config.serviceAccountIssuer);
  if (said === undefined) return ofFlags === undefined ? [] : [ofFlags];
  if (ofFlags === undefined) return [...said.issuers];
  throw new OptionError(
    '--oidc-issuer-url and --authentication-config exclude each other: name the issuer in the file',
  );
}

const WEBHOOK_TIMEOUT_MS = 10_000;

function tokenWebhooks(config: AuthenticationConfig, { calls }: Surroundings, audiences: readonly string[]) {
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

/** Read again when they change, as the TLS server reads them. */
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

/** Else every client could say that it is somebody else. */
function refuseOverlap(clients: Authorities, frontProxies: Authorities): void {
  const isInBoth = frontProxies.some((one) => clients.some((other) => one.fingerprint256 === other.fingerprint256));
  if (!isInBoth) return;
  throw new OptionError(
    '--requestheader-client-ca-file and --client-ca-file contain overlapping certificates; --requestheader-allowed-names must be specified to ensure regular client certificates cannot set authenticating proxy headers for arbitrary users',
  );
}

function anonymousPaths(isAllowed: boolean, said: AnonymousPaths | undefined): AnonymousPaths {
  if (said === undefined) return isAllowed ? USUAL_PATHS : NOWHERE;
  if (isAllowed) return said;
  throw new OptionError('--anonymous-auth and anonymous in the file of --authentication-config exclude each other');
}
