import { X509Certificate } from 'node:crypto';
import { duplicateValue, type FieldError, invalidValue, requiredValue, tooMany } from '@tidegate/status';
import { ClaimRulesReader } from './claim-rules-reader.ts';
import type { IssuerEntry, JwtEntry } from './issuer-form.ts';
import { ALGORITHMS } from './json-web-token.ts';
import type { IssuerSettings } from './token-issuer.ts';

const MOST = 64;

interface Reading {
  readonly mistakes: FieldError[];
  /** the issuers of this server's own tokens */
  readonly ownIssuers: readonly string[];
  readonly algorithms?: readonly string[];
}

/** Reads the issuers of a configuration, and adds their mistakes to the list. */
export function readIssuers(entries: readonly JwtEntry[], reading: Reading): IssuerSettings[] {
  const { mistakes, ownIssuers, algorithms = Object.keys(ALGORITHMS) } = reading;
  if (entries.length > MOST) {
    mistakes.push(tooMany('jwt', entries.length, MOST));
    return [];
  }
  const urls = new Set<string>();
  const discoveryUrls = new Set<string>();
  return entries.map((jwt, i) => {
    const at = `jwt[${i}]`;
    const { url = '', discoveryURL = '', certificateAuthority = '', audiences = [] } = jwt.issuer ?? {};
    mistakes.push(...issuerMistakes(jwt.issuer ?? {}, `${at}.issuer`, ownIssuers));
    const reader = new ClaimRulesReader(at);
    const rules = reader.read(jwt);
    mistakes.push(...reader.mistakes);
    if (urls.has(url)) mistakes.push(duplicateValue(`${at}.issuer.url`, url));
    if (discoveryURL !== '' && discoveryUrls.has(discoveryURL)) {
      mistakes.push(duplicateValue(`${at}.issuer.discoveryURL`, discoveryURL));
    }
    urls.add(url);
    discoveryUrls.add(discoveryURL);
    return { url, discoveryUrl: discoveryURL, authority: certificateAuthority, audiences, algorithms, rules };
  });
}

/** The mistakes in an issuer's URL, audiences and authority, in kube-apiserver's words. */
export function issuerMistakes(entries: IssuerEntry, at: string, ownIssuers: readonly string[]): FieldError[] {
  const { url = '', discoveryURL = '', certificateAuthority = '', egressSelectorType = '' } = entries;
  const discoveryAt = `${at}.discoveryURL`;
  const isSame = url !== '' && withoutSlash(url) === withoutSlash(discoveryURL);
  return [
    ...(url === '' ? [requiredValue(`${at}.url`)] : urlMistakes(url, `${at}.url`, ownIssuers)),
    ...(isSame ? [invalidValue(discoveryAt, discoveryURL, 'discoveryURL must be different from URL')] : []),
    ...(discoveryURL === '' ? [] : urlMistakes(discoveryURL, discoveryAt, [])),
    ...audienceMistakes(entries, at),
    ...authorityMistakes(certificateAuthority, `${at}.certificateAuthority`),
    ...(egressSelectorType === ''
      ? []
      : [invalidValue(`${at}.egressSelectorType`, egressSelectorType, 'egress selectors are not supported')]),
  ];
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '');
}

function urlMistakes(url: string, at: string, ownIssuers: readonly string[]): FieldError[] {
  const wrong = (why: string) => invalidValue(at, url, why);
  const mistakes: FieldError[] = [];
  if (ownIssuers.includes(url)) {
    mistakes.push(wrong(`URL must not overlap with disallowed issuers: [${ownIssuers.toSorted().join(' ')}]`));
  }
  const parsed = URL.parse(url);
  if (parsed === null) return [...mistakes, wrong('it is not a URL')];
  if (parsed.protocol !== 'https:') mistakes.push(wrong('URL scheme must be https'));
  if (parsed.username !== '' || parsed.password !== '')
    mistakes.push(wrong('URL must not contain a username or password'));
  if (parsed.search !== '') mistakes.push(wrong('URL must not contain a query'));
  if (parsed.hash !== '') mistakes.push(wrong('URL must not contain a fragment'));
  return mistakes;
}

function audienceMistakes({ audiences = [], audienceMatchPolicy: policy = '' }: IssuerEntry, at: string): FieldError[] {
  const field = `${at}.audiences`;
  if (audiences.length === 0) return [requiredValue(field, `at least one ${field} is required`)];
  const mistakes = audiences.flatMap((audience, i) => {
    if (audience === '') return [requiredValue(`${field}[${i}]`)];
    return audiences.indexOf(audience) < i ? [duplicateValue(`${field}[${i}]`, audience)] : [];
  });
  if (policy === 'MatchAny' || (policy === '' && audiences.length === 1)) return mistakes;
  const why =
    audiences.length > 1
      ? 'audienceMatchPolicy must be MatchAny for multiple audiences'
      : 'audienceMatchPolicy must be empty or MatchAny for single audience';
  return [...mistakes, invalidValue(`${at}.audienceMatchPolicy`, policy, why)];
}

function authorityMistakes(authority: string, at: string): FieldError[] {
  if (authority === '') return [];
  try {
    new X509Certificate(authority);
    return [];
  } catch {
    // an error of OpenSSL: not a certificate
    return [invalidValue(at, '<omitted>', 'data does not contain any valid RSA or ECDSA certificates')];
  }
}
