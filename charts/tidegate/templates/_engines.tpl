{{/* The Secret with PostgreSQL's url. */}}
{{- define "tidegate.postgresqlSecret" -}}
{{- .Values.postgresql.existingSecret | default (include "tidegate.partName" (dict "root" . "part" "postgresql")) -}}
{{- end }}

{{/* The Secret with the url of NATS. */}}
{{- define "tidegate.natsSecret" -}}
{{- .Values.nats.existingSecret | default (include "tidegate.partName" (dict "root" . "part" "nats")) -}}
{{- end }}

{{/* How stores and watch services reach NATS: options, environment, files. */}}
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

{{/* A password that was made once, as long as its Secret is there. Takes root, secret, key and given. */}}
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

{{/* Who may log in, and as whom. */}}
{{- define "tidegate.tokensSecret" -}}
{{- .Values.authentication.existingSecret | default (include "tidegate.partName" (dict "root" . "part" "tokens")) -}}
{{- end }}

{{/* What signs the tokens of service accounts. */}}
{{- define "tidegate.serviceAccountsSecret" -}}
{{- .Values.serviceAccounts.existingSecret | default (include "tidegate.partName" (dict "root" . "part" "service-accounts")) -}}
{{- end }}
