{{- define "tidegate.gateway.args" -}}
{{- $values := include "tidegate.partValues" (dict "root" . "part" "gateway") | fromYaml -}}
- {{ printf "--bind-address=%s" (.Values.listenAddress | trimPrefix "[" | trimSuffix "]") | quote }}
- --port=6443
# load balancers that ask by themselves hear of it, too, while it goes on serving
- --shutdown-delay-duration={{ int $values.shutdownDelaySeconds }}s
- --tls-cert-file=/etc/tidegate/serving/tls.crt
- --tls-private-key-file=/etc/tidegate/serving/tls.key
{{- range .Values.gateway.extraServingSecrets }}
- --tls-sni-cert-key=/etc/tidegate/extra-serving/{{ . }}/tls.crt,/etc/tidegate/extra-serving/{{ . }}/tls.key
{{- end }}
{{- if include "tidegate.certificateSecret" (dict "root" . "of" "ca") }}
- --client-ca-file=/etc/tidegate/client-ca/ca.crt
{{- end }}
{{- if include "tidegate.certificateSecret" (dict "root" . "of" "front-proxy") }}
- --requestheader-client-ca-file=/etc/tidegate/front-proxy/ca.crt
- --requestheader-allowed-names=front-proxy-client
- --proxy-client-cert-file=/etc/tidegate/front-proxy/tls.crt
- --proxy-client-key-file=/etc/tidegate/front-proxy/tls.key
{{- end }}
- --token-auth-file=/etc/tidegate/tokens/tokens.csv
- --service-account-signing-key-file=/etc/tidegate/service-accounts/service-account.key
- --service-account-issuer={{ .Values.serviceAccounts.issuer }}
- --store-addresses={{ include "tidegate.replicasOf" (dict "root" . "part" "store") }}
- --watch-addresses={{ include "tidegate.replicasOf" (dict "root" . "part" "watch") }}
- --service-cluster-ip-range={{ join "," .Values.gateway.serviceClusterIPRange }}
- --service-node-port-range={{ .Values.gateway.serviceNodePortRange }}
{{- with .Values.gateway.featureGates }}
- --feature-gates={{ join "," . }}
{{- end }}
{{- with .Values.gateway.runtimeConfig }}
- --runtime-config={{ join "," . }}
{{- end }}
{{- end }}

{{- define "tidegate.gateway.env" -}}
{{- end }}

{{- define "tidegate.gateway.ports" -}}
- name: https
  containerPort: 6443
{{- end }}

{{- define "tidegate.gateway.mounts" -}}
- {name: peer, path: /etc/tidegate/peer, secret: {{ include "tidegate.certificateSecret" (dict "root" . "of" "peer-gateway") }}}
- {name: serving, path: /etc/tidegate/serving, secret: {{ include "tidegate.certificateSecret" (dict "root" . "of" "serving") }}, items: [tls.crt, tls.key]}
{{- range $i, $secret := .Values.gateway.extraServingSecrets }}
- {name: extra-serving-{{ $i }}, path: /etc/tidegate/extra-serving/{{ $secret }}, secret: {{ $secret }}, items: [tls.crt, tls.key]}
{{- end }}
{{- with include "tidegate.certificateSecret" (dict "root" . "of" "ca") }}
- {name: client-ca, path: /etc/tidegate/client-ca, secret: {{ . }}, items: [ca.crt]}
{{- end }}
{{- with include "tidegate.certificateSecret" (dict "root" . "of" "front-proxy") }}
- {name: front-proxy, path: /etc/tidegate/front-proxy, secret: {{ . }}}
{{- end }}
- {name: tokens, path: /etc/tidegate/tokens, secret: {{ include "tidegate.tokensSecret" . }}, items: [tokens.csv]}
- {name: service-accounts, path: /etc/tidegate/service-accounts, secret: {{ include "tidegate.serviceAccountsSecret" . }}, items: [service-account.key]}
{{- end }}
