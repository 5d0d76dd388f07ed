import { X509Certificate } from 'node:crypto';
import { duplicateValue, type FieldError, invalidValue, requiredValue } from '@tidegate/status';
import type { ToldIssuer } from './issuer-form.ts';

/** What is wrong with how an issuer is named and reached, in kube-apiserver's words. */
export function issuerMistakes(told: ToldIssuer, at: string, ownIssuers: readonly string[]): FieldError[] {
  const { url = '', discoveryURL = '', certificateAuthority = '', egressSelectorType = '' } = told;
  const discoveryAt = `${at}.discoveryURL`;
  const isSame = url !== '' && withoutSlash(url) === withoutSlash(discoveryURL);
  return [
    ...(url === '' ? [requiredValue(`${at}.url`)] : urlMistakes(url, `${at}.url`, ownIssuers)),
    ...(isSame ? [invalidValue(discoveryAt, discoveryURL, 'discoveryURL must be different from URL')] : []),
    ...(discoveryURL === '' ? [] : urlMistakes(discoveryURL, discoveryAt, [])),
    ...audienceMistakes(told, at),
    ...authorityMistakes(certificateAuthority, `${at}.certificateAuthority`),
    ...(egressSelectorType === ''
      ? []
      : [invalidValue(`${at}.egressSelectorType`, egressSelectorType, 'there are no egress selectors here')]),
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
  if (parsed === null) return [...mistakes, wrong('it is no URL')];
  if (parsed.protocol !== 'https:') mistakes.push(wrong('URL scheme must be https'));
  if (parsed.username !== '' || parsed.password !== '')
    mistakes.push(wrong('URL must not contain a username or password'));
  if (parsed.search !== '') mistakes.push(wrong('URL must not contain a query'));
  if (parsed.hash !== '') mistakes.push(wrong('URL must not contain a fragment'));
  return mistakes;
}

function audienceMistakes({ audiences = [], audienceMatchPolicy: policy = '' }: ToldIssuer, at: string): FieldError[] {
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
    // an error of OpenSSL: this is no certificate
    return [invalidValue(at, '<omitted>', 'data does not contain any valid RSA or ECDSA certificates')];
  }
}
