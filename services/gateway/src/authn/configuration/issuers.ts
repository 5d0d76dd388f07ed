import { duplicateValue, type FieldError, tooMany } from '@tidegate/status';
import { ALGORITHMS } from '../json-web-token.ts';
import type { IssuerSettings } from '../jwt/token-issuer.ts';
import { ClaimRulesReader } from './claim-rules.ts';
import type { ToldJwt } from './issuer-form.ts';
import { issuerMistakes } from './issuer-mistakes.ts';

const MOST = 64;

interface Reading {
  readonly mistakes: FieldError[];
  /** whose tokens are this server's own */
  readonly ownIssuers: readonly string[];
  readonly algorithms?: readonly string[];
}

/** The issuers that are told; what is wrong with them is added to the mistakes. */
export function readIssuers(told: readonly ToldJwt[], reading: Reading): IssuerSettings[] {
  const { mistakes, ownIssuers, algorithms = Object.keys(ALGORITHMS) } = reading;
  if (told.length > MOST) {
    mistakes.push(tooMany('jwt', told.length, MOST));
    return [];
  }
  const urls = new Set<string>();
  const discoveryUrls = new Set<string>();
  return told.map((jwt, i) => {
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
