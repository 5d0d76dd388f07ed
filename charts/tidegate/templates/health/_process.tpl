{{- define "tidegate.health.args" -}}
- --http-address={{ .Values.listenAddress }}:6480
- --targets={{ include "tidegate.replicasOf" (dict "root" . "part" "parts") }}
{{- end }}

{{- define "tidegate.health.env" -}}
{{- end }}

{{- define "tidegate.health.ports" -}}
- name: board
  containerPort: 6480
{{- end }}

{{- define "tidegate.health.mounts" -}}
- {name: peer, path: /etc/tidegate/peer, secret: {{ include "tidegate.certificateSecret" (dict "root" . "of" "peer-health") }}}
{{- end }}
