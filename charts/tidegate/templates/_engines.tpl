{{/* The Secret with PostgreSQL's URL. */}}
{{- define "tidegate.postgresqlSecret" -}}
{{- .Values.postgresql.existingSecret | default (include "tidegate.partName" (dict "root" . "part" "postgresql")) -}}
{{- end }}

{{/* The Secret with the URL of NATS. */}}
{{- define "tidegate.natsSecret" -}}
{{- .Values.nats.existingSecret | default (include "tidegate.partName" (dict "root" . "part" "nats")) -}}
{{- end }}

{{/* The options, environment and files with which stores and watch services connect to NATS. */}}
{{- define "tidegate.natsArgs" -}}
{{- if and (include "tidegate.hasNats" .) .Values.nats.tlsSecret }}
- --nats-ca-file=/etc/tidegate/nats/ca.crt
{{- if .Values.nats.clientCertificate }}
- --nats-cert-file=/etc/tidegate/nats/tls.crt
- --nats-key-file=/etc/tidegate/nats/tls.key
{{- end }}
{{- end }}
{{- end }}

{{- define "tidegate.natsEnv" -}}
{{- if include "tidegate.hasNats" . -}}
- name: TIDEGATE_NATS_URL
  valueFrom:
    secretKeyRef:
      name: {{ include "tidegate.natsSecret" . }}
      key: url
{{- end -}}
{{- end }}

{{- define "tidegate.natsMounts" -}}
{{- if and (include "tidegate.hasNats" .) .Values.nats.tlsSecret }}
- {name: nats-tls, path: /etc/tidegate/nats, secret: {{ .Values.nats.tlsSecret }}}
{{- end }}
{{- end }}

{{/* A random password. An existing Secret keeps its password. Takes root, secret, key and given. */}}
{{- define "tidegate.keptPassword" -}}
{{- $found := lookup "v1" "Secret" .root.Release.Namespace .secret -}}
{{- if .given -}}
{{ .given }}
{{- else if and $found (hasKey (default dict $found.data) .key) -}}
{{ index $found.data .key | b64dec }}
{{- else -}}
{{ randAlphaNum 32 }}
{{- end -}}
{{- end }}

{{/* The Secret with the token file. */}}
{{- define "tidegate.tokensSecret" -}}
{{- .Values.authentication.existingSecret | default (include "tidegate.partName" (dict "root" . "part" "tokens")) -}}
{{- end }}

{{/* The Secret with the key that signs service account tokens. */}}
{{- define "tidegate.serviceAccountsSecret" -}}
{{- .Values.serviceAccounts.existingSecret | default (include "tidegate.partName" (dict "root" . "part" "service-accounts")) -}}
{{- end }}
