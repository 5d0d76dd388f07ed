import { readFileSync } from 'node:fs';
import type { StoreConfig } from '../config.ts';

type RequestHeaderConfig = Pick<
  StoreConfig,
  | 'requestheaderClientCaFile'
  | 'requestheaderAllowedNames'
  | 'requestheaderUsernameHeaders'
  | 'requestheaderUidHeaders'
  | 'requestheaderGroupHeaders'
  | 'requestheaderExtraHeadersPrefix'
>;

/** How servers behind the API learn from a gateway who a user is, in the form in which they read it: lists as JSON. */
export function requestHeaderData(config: RequestHeaderConfig): Record<string, string> {
  const { requestheaderClientCaFile: caFile, requestheaderUidHeaders: uidHeaders } = config;
  if (caFile === '') return {};
  return {
    'requestheader-allowed-names': JSON.stringify(config.requestheaderAllowedNames),
    'requestheader-client-ca-file': readFileSync(caFile, 'utf8'),
    'requestheader-extra-headers-prefix': JSON.stringify(config.requestheaderExtraHeadersPrefix),
    'requestheader-group-headers': JSON.stringify(config.requestheaderGroupHeaders),
    ...(uidHeaders.length === 0 ? {} : { 'requestheader-uid-headers': JSON.stringify(uidHeaders) }),
    'requestheader-username-headers': JSON.stringify(config.requestheaderUsernameHeaders),
  };
}
