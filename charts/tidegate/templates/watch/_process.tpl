{{- define "tidegate.watch.args" -}}
- --store-addresses={{ include "tidegate.replicasOf" (dict "root" . "part" "store") }}
- --window-memory-mib={{ int .Values.watch.windowMemoryMib }}
{{- include "tidegate.natsArgs" . }}
{{- end }}

{{- define "tidegate.watch.env" -}}
{{- include "tidegate.natsEnv" . }}
{{- end }}

{{- define "tidegate.watch.ports" -}}
{{- end }}

{{- define "tidegate.watch.mounts" -}}
- {name: peer, path: /etc/tidegate/peer, secret: {{ include "tidegate.certificateSecret" (dict "root" . "of" "peer-watch") }}}
{{- include "tidegate.natsMounts" . }}
{{- end }}
