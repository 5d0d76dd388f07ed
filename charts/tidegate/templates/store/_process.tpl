{{- define "tidegate.store.args" -}}
{{- $gateway := include "tidegate.partName" (dict "root" . "part" "gateway") -}}
{{- $port := int .Values.gateway.service.port -}}
- --window-seconds={{ int .Values.store.windowSeconds }}
- --postgres-prepare={{ .Values.postgresql.prepare }}
- --gateway-url=https://{{ $gateway }}.{{ .Release.Namespace }}.svc{{ if ne $port 443 }}:{{ $port }}{{ end }}
- --gateway-ca-file=/etc/tidegate/gateway-ca/ca.crt
- --gateway-token-file=/etc/tidegate/controllers/controllers-token
- --root-ca-file=/etc/tidegate/gateway-ca/ca.crt
- --service-cluster-ip-range={{ join "," .Values.gateway.serviceClusterIPRange }}
{{- with .Values.gateway.runtimeConfig }}
- --runtime-config={{ join "," . }}
{{- end }}
{{- if include "tidegate.certificateSecret" (dict "root" . "of" "ca") }}
- --client-ca-file=/etc/tidegate/client-ca/ca.crt
{{- end }}
{{- if include "tidegate.certificateSecret" (dict "root" . "of" "front-proxy") }}
- --requestheader-client-ca-file=/etc/tidegate/front-proxy-ca/ca.crt
- --requestheader-allowed-names=front-proxy-client
{{- end }}
{{- with .Values.store.encryption }}
{{- if .existingSecret }}
- --encryption-provider-config=/etc/tidegate/encryption/{{ .key }}
{{- end }}
{{- end }}
{{- if include "tidegate.hasNats" . }}
- --nats-replicas={{ int .Values.nats.replicas }}
- --nats-storage={{ .Values.nats.storage }}
- --nats-max-mib={{ int .Values.nats.maxMib }}
{{- end }}
{{- include "tidegate.natsArgs" . }}
{{- end }}

{{- define "tidegate.store.env" -}}
{{- $secret := include "tidegate.postgresqlSecret" . -}}
- name: TIDEGATE_POSTGRES_URL
  valueFrom:
    secretKeyRef:
      name: {{ $secret }}
      key: url
{{- if .Values.postgresql.existingSecret }}
- name: TIDEGATE_POSTGRES_DIRECT_URL
  valueFrom:
    secretKeyRef:
      name: {{ $secret }}
      key: direct-url
      optional: true
- name: TIDEGATE_POSTGRES_MIGRATION_URL
  valueFrom:
    secretKeyRef:
      name: {{ $secret }}
      key: migration-url
      optional: true
{{- end }}
{{- with include "tidegate.natsEnv" . }}
{{ . }}
{{- end }}
{{- end }}

{{- define "tidegate.store.ports" -}}
{{- end }}

{{- define "tidegate.store.mounts" -}}
- {name: peer, path: /etc/tidegate/peer, secret: {{ include "tidegate.certificateSecret" (dict "root" . "of" "peer-store") }}}
- {name: gateway-ca, path: /etc/tidegate/gateway-ca, secret: {{ include "tidegate.certificateSecret" (dict "root" . "of" "serving") }}, items: [ca.crt]}
- {name: controllers, path: /etc/tidegate/controllers, secret: {{ include "tidegate.tokensSecret" . }}, items: [controllers-token]}
{{- with include "tidegate.certificateSecret" (dict "root" . "of" "ca") }}
- {name: client-ca, path: /etc/tidegate/client-ca, secret: {{ . }}, items: [ca.crt]}
{{- end }}
{{- with include "tidegate.certificateSecret" (dict "root" . "of" "front-proxy") }}
- {name: front-proxy-ca, path: /etc/tidegate/front-proxy-ca, secret: {{ . }}, items: [ca.crt]}
{{- end }}
{{- with .Values.store.encryption }}
{{- if .existingSecret }}
- {name: encryption, path: /etc/tidegate/encryption, secret: {{ .existingSecret }}, items: [{{ .key }}]}
{{- end }}
{{- end }}
{{- with .Values.postgresql.tlsSecret }}
- {name: postgresql-tls, path: /etc/tidegate/postgresql, secret: {{ . }}}
{{- end }}
{{- include "tidegate.natsMounts" . }}
{{- end }}
