import { X509Certificate } from 'node:crypto';
import { checkClientConfig } from '../admission/webhook-checks.ts';
import { label1035Problems } from '../objects/names.ts';
import type { Place } from '../rules/place.ts';

const NONE_REQUIRED = 'must be None if spec.preserveUnknownFields is true';

/** Checks the conversion of a definition, and the address of its webhook. */
export function checkConversion(spec: Place): void {
  const conversion = spec.field('conversion');
  if (conversion.value === undefined) return;
  const strategy = conversion.field('strategy');
  if (strategy.isEmpty) strategy.required();
  else if (strategy.text !== 'None' && strategy.text !== 'Webhook') strategy.unsupported(['None', 'Webhook']);
  if (strategy.text !== 'None' && spec.field('preserveUnknownFields').value === true) strategy.invalid(NONE_REQUIRED);
  const webhook = conversion.field('webhook');
  const client = conversion.as('webhookClientConfig', webhook.object.clientConfig);
  const versions = conversion.as('conversionReviewVersions', webhook.object.conversionReviewVersions);
  if (strategy.text === 'Webhook') {
    if (client.value === undefined) client.required('required when strategy is set to Webhook');
    else checkClientConfig(client);
    if (versions.isEmpty) versions.required();
    else checkReviewVersions(versions);
    return;
  }
  for (const place of [client, versions]) {
    if (place === client ? place.value !== undefined : !place.isEmpty)
      place.forbidden('should not be set when strategy is not set to Webhook');
  }
}

const REVIEWS = ['v1', 'v1beta1'];

function checkReviewVersions(versions: Place): void {
  const seen = new Set<string>();
  for (const version of versions.items()) {
    if (seen.has(version.text)) version.invalid('duplicate version');
    else version.invalidFor(label1035Problems(version.text));
    seen.add(version.text);
  }
  if (!REVIEWS.some((version) => seen.has(version))) {
    versions.invalid(`must include at least one of ${REVIEWS.join(', ')}`);
  }
}

/**
 * Checks the certificates of the webhook of a served definition: before that they may still be missing. An update may
 * keep an invalid bundle.
 */
export function checkBundle(now: Place, before: Place): void {
  const bundleOf = (spec: Place) => spec.field('conversion.webhook.clientConfig.caBundle');
  const was = bundleOf(before.field('spec'));
  if (!was.isEmpty && bundleProblem(was.text) !== undefined) return;
  const conversion = now.field('spec.conversion');
  const bundle = conversion.as('webhookClientConfig', conversion.field('webhook.clientConfig').value).field('caBundle');
  if (conversion.field('strategy').text !== 'Webhook' || bundle.isEmpty) return;
  const problem = bundleProblem(bundle.text);
  if (problem !== undefined) bundle.invalid(`unable to load root certificates: ${problem}`);
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

function bundleProblem(base64: string): string | undefined {
  const found = Buffer.from(base64, 'base64').toString('latin1').match(CERTIFICATE);
  if (found === null) return 'unable to parse bytes as PEM block';
  try {
    for (const one of found) new X509Certificate(one);
    return undefined;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return 'failed to parse certificate';
  }
}
