{{- define "tidegate.health.args" -}}
- --http-address={{ .Values.listenAddress }}:6480
{{- $hosts := concat (include "tidegate.serviceNames" (dict "root" . "service" (include "tidegate.partName" (dict "root" . "part" "health"))) | fromYamlArray) .Values.health.hosts }}
- --board-hosts={{ join "," $hosts }}
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
