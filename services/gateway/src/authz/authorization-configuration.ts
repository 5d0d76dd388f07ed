import { statSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { OptionError } from '@tidegate/options';
import { duplicateValue, type FieldError, invalidValue, notSupported, requiredValue } from '@tidegate/status';
import { OperatorsWebhook, webhookIn } from '../callouts/operators-webhook.ts';
import type { WebhookCalls } from '../callouts/webhook-calls.ts';
import { durationMs, durationOf } from '../configuration/duration.ts';
import { type Form, readConfiguration, refuseMistakes } from '../configuration/read-configuration.ts';
import { AccessWebhook, type AccessWebhookOptions } from './access-webhook.ts';
import { readConditions } from './match-conditions.ts';
import { type AuthorizationModes, modesOf, readModes } from './modes.ts';

export interface AuthorizationConfig {
  readonly authorizationMode: readonly string[];
  readonly authorizationConfig: string;
  readonly authorizationWebhookConfigFile: string;
  readonly authorizationWebhookVersion: string;
  readonly authorizationWebhookCacheAuthorizedTtl: string;
  readonly authorizationWebhookCacheUnauthorizedTtl: string;
}

interface Dependencies {
  /** calls webhooks that the operator has configured */
  readonly calls: Pick<WebhookCalls, 'call'>;
  readonly warn: (words: string) => void;
}

/** The authorizers that the options or a configuration file name. */
export function authorizationModes(config: AuthorizationConfig, dependencies: Dependencies): AuthorizationModes {
  const { authorizationConfig: file, authorizationMode: modes, authorizationWebhookConfigFile: webhook } = config;
  if (file === '') return readModes(modes, webhook === '' ? undefined : webhookOfOptions(config, dependencies));
  if (modes.join() === 'RBAC' && webhook === '') return modesOfFile(file, dependencies);
  throw new OptionError(
    '--authorization-config can not be specified when --authorization-mode or --authorization-webhook-* flags are defined',
  );
}

const FLAGS_TIMEOUT_MS = 10_000;

function webhookOfOptions(config: AuthorizationConfig, { calls, warn }: Dependencies): AccessWebhook {
  const { authorizationWebhookVersion: version } = config;
  if (!VERSIONS.includes(version)) {
    throw new OptionError(`--authorization-webhook-version takes v1 and v1beta1, not ${JSON.stringify(version)}`);
  }
  const target = webhookIn(config.authorizationWebhookConfigFile, '--authorization-webhook-config-file');
  const durationIn = (name: 'authorized' | 'unauthorized', text: string) =>
    durationOf(`authorization-webhook-cache-${name}-ttl`, text);
  return new AccessWebhook({
    name: 'default',
    webhook: new OperatorsWebhook(target, { calls, timeoutMs: FLAGS_TIMEOUT_MS }),
    version,
    authorizedMs: durationIn('authorized', config.authorizationWebhookCacheAuthorizedTtl),
    unauthorizedMs: durationIn('unauthorized', config.authorizationWebhookCacheUnauthorizedTtl),
    onFailure: 'nothing',
    conditions: [],
    warn,
  });
}

const VERSIONS = ['v1', 'v1beta1'];
const TYPES = ['AlwaysAllow', 'Node', 'RBAC', 'Webhook'];
const OPTION = 'authorization-config';
const NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const MOST_MS = 30_000;

const form = {
  authorizers: [
    {
      type: 'text',
      name: 'text',
      webhook: {
        authorizedTTL: 'text',
        unauthorizedTTL: 'text',
        timeout: 'text',
        subjectAccessReviewVersion: 'text',
        matchConditionSubjectAccessReviewVersion: 'text',
        failurePolicy: 'text',
        connectionInfo: { type: 'text', kubeConfigFile: 'text' },
        matchConditions: [{ expression: 'text' }],
      },
    },
  ],
} as const satisfies Form;

interface WebhookEntry {
  readonly authorizedTTL?: string;
  readonly unauthorizedTTL?: string;
  readonly timeout?: string;
  readonly subjectAccessReviewVersion?: string;
  readonly matchConditionSubjectAccessReviewVersion?: string;
  readonly failurePolicy?: string;
  readonly connectionInfo?: { readonly type?: string; readonly kubeConfigFile?: string };
  readonly matchConditions?: ReadonlyArray<{ readonly expression?: string }>;
}

interface AuthorizerEntry {
  readonly type?: string;
  readonly name?: string;
  readonly webhook?: WebhookEntry;
}

type Settings = Omit<AccessWebhookOptions, 'webhook' | 'warn'> & { readonly file: string; readonly timeoutMs: number };

function modesOfFile(file: string, { calls, warn }: Dependencies): AuthorizationModes {
  const versions = ['v1', 'v1beta1', 'v1alpha1'];
  const content = readConfiguration({ option: OPTION, file, kind: 'AuthorizationConfiguration', versions, form });
  const entry = (content.authorizers ?? []) as readonly AuthorizerEntry[];
  const mistakes: FieldError[] = [];
  if (entry.length === 0) {
    mistakes.push(requiredValue('authorizers', 'at least one authorization mode must be defined'));
  }
  const read = entry.map((one, i) =>
    readAuthorizer(one, { at: `authorizers[${i}]`, before: entry.slice(0, i), mistakes }),
  );
  refuseMistakes(OPTION, file, mistakes);
  return modesOf(
    read.map((one) => {
      if (typeof one === 'string') return one;
      const { file: kubeconfig, timeoutMs, ...settings } = one;
      const target = webhookIn(kubeconfig, `--${OPTION} ${file}: the webhook ${one.name} in`);
      return new AccessWebhook({ ...settings, warn, webhook: new OperatorsWebhook(target, { calls, timeoutMs }) });
    }),
  );
}

interface Place {
  readonly at: string;
  readonly before: readonly AuthorizerEntry[];
  readonly mistakes: FieldError[];
}

/** Reads one entry: the name of a mode, or the settings of a webhook. */
function readAuthorizer({ type = '', name = '', webhook }: AuthorizerEntry, place: Place): string | Settings {
  const { at, before, mistakes } = place;
  if (type === '') mistakes.push(requiredValue(`${at}.type`));
  else if (!TYPES.includes(type)) mistakes.push(notSupported(`${at}.type`, type, TYPES));
  else if (type !== 'Webhook' && before.some((one) => one.type === type)) {
    mistakes.push(duplicateValue(`${at}.type`, type));
  } else {
    if (name === '') mistakes.push(requiredValue(`${at}.name`));
    else if (before.some((one) => one.name === name)) mistakes.push(duplicateValue(`${at}.name`, name));
    else if (!NAME.test(name)) {
      const why =
        'authorizer name is invalid: it must be a lowercase RFC 1123 subdomain, such as my-webhook.example.com';
      mistakes.push(invalidValue(`${at}.name`, name, why));
    }
    if (type === 'Webhook' && webhook === undefined) {
      mistakes.push(requiredValue(`${at}.webhook`, 'required when type=Webhook'));
    } else if (type !== 'Webhook' && webhook !== undefined) {
      mistakes.push(invalidValue(`${at}.webhook`, 'non-null', 'may only be specified when type=Webhook'));
    }
  }
  if (type !== 'Webhook' || webhook === undefined) return type;
  return readWebhook(name, webhook, place);
}

function readWebhook(name: string, entry: WebhookEntry, { at, mistakes }: Place): Settings {
  const durationIn = (field: 'timeout' | 'authorizedTTL' | 'unauthorizedTTL', mostMs = Number.POSITIVE_INFINITY) => {
    const text = entry[field] ?? '';
    const found = durationMs(text);
    const limits = field === 'timeout' ? 'must be > 0s and <= 30s' : 'must be > 0s';
    if (text === '' || found === 0) mistakes.push(requiredValue(`${at}.${field}`));
    else if (found === undefined || found < 0 || found > mostMs)
      mistakes.push(invalidValue(`${at}.${field}`, text, limits));
    return found ?? 0;
  };
  const choiceIn = (field: (keyof WebhookEntry & `${string}Version`) | 'failurePolicy', choices: readonly string[]) => {
    const text = entry[field] ?? '';
    if (text === '') mistakes.push(requiredValue(`${at}.${field}`));
    else if (!choices.includes(text)) mistakes.push(notSupported(`${at}.${field}`, text, choices));
    return text;
  };
  const conditions = (entry.matchConditions ?? []).map(({ expression = '' }) => expression);
  const timeoutMs = durationIn('timeout', MOST_MS);
  const authorizedMs = durationIn('authorizedTTL');
  const unauthorizedMs = durationIn('unauthorizedTTL');
  const version = choiceIn('subjectAccessReviewVersion', VERSIONS);
  const seen = entry.matchConditionSubjectAccessReviewVersion ?? '';
  const seenAt = `${at}.matchConditionSubjectAccessReviewVersion`;
  if (seen === '' && conditions.length > 0) {
    mistakes.push(requiredValue(seenAt, 'required if match conditions are specified'));
  } else if (seen !== '' && seen !== 'v1') mistakes.push(notSupported(seenAt, seen, ['v1']));
  const onFailure = choiceIn('failurePolicy', ['NoOpinion', 'Deny']) === 'Deny' ? 'deny' : 'nothing';
  const file = fileIn(entry.connectionInfo ?? {}, { at: `${at}.connectionInfo`, mistakes });
  return {
    name,
    file,
    timeoutMs,
    authorizedMs,
    unauthorizedMs,
    version,
    onFailure,
    conditions: readConditions(conditions, `${at}.matchConditions`, mistakes),
  };
}

function fileIn(
  { type = '', kubeConfigFile: file = '' }: NonNullable<WebhookEntry['connectionInfo']>,
  { at, mistakes }: Pick<Place, 'at' | 'mistakes'>,
): string {
  const wrong = (why: string) => invalidValue(`${at}.kubeConfigFile`, file, why);
  if (type === '') mistakes.push(requiredValue(`${at}.type`));
  else if (type !== 'KubeConfigFile') mistakes.push(notSupported(`${at}.type`, type, ['KubeConfigFile']));
  else if (file === '') mistakes.push(requiredValue(`${at}.kubeConfigFile`));
  else if (!isAbsolute(file)) mistakes.push(wrong('must be an absolute path'));
  else {
    const found = statSync(file, { throwIfNoEntry: false });
    if (found === undefined) mistakes.push(wrong('error loading file: there is no such file'));
    else if (!found.isFile()) mistakes.push(wrong('must be a regular file'));
  }
  return file;
}
