import { readFileSync } from 'node:fs';
import type { ControllerName } from '../enabled-controllers.ts';
import type { ControllerConfig } from '../options.ts';
import type { DefaultObject } from './namespace-defaults.ts';

/** The default objects of namespaces: the enabled controllers and the certificate files decide which there are. */
export function defaultObjects(config: ControllerConfig, controllers: ReadonlySet<ControllerName>): DefaultObject[] {
  const wanted: DefaultObject[] = [];
  if (controllers.has('serviceaccount-controller')) {
    wanted.push({ resource: 'serviceaccounts', name: 'default', kind: 'ServiceAccount', content: {} });
  }
  const caFile = config.rootCaFile || config.gatewayCaFile;
  if (controllers.has('root-ca-certificate-publisher-controller') && caFile !== '') {
    wanted.push({
      resource: 'configmaps',
      name: 'kube-root-ca.crt',
      kind: 'ConfigMap',
      annotations: {
        'kubernetes.io/description': 'The authorities by which programs in the cluster know its API server.',
      },
      content: { data: { 'ca.crt': readFileSync(caFile, 'utf8') } },
    });
  }
  const data = authenticationData(config);
  if (controllers.has('root-ca-certificate-publisher-controller') && Object.keys(data).length > 0) {
    wanted.push({
      namespace: 'kube-system',
      resource: 'configmaps',
      name: 'extension-apiserver-authentication',
      kind: 'ConfigMap',
      content: { data },
    });
  }
  return wanted;
}

/** How aggregated API servers authenticate clients, and gateways that forward requests for a user. */
function authenticationData(config: ControllerConfig): Record<string, string> {
  const { clientCaFile } = config;
  const clients = clientCaFile === '' ? {} : { 'client-ca-file': readFileSync(clientCaFile, 'utf8') };
  return { ...clients, ...requestHeaderData(config) };
}

/** The headers in which a gateway names the user, in the form in which those servers read them: lists as JSON. */
function requestHeaderData(config: ControllerConfig): Record<string, string> {
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
