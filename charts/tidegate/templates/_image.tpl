{{/* The image of all parts. */}}
{{- define "tidegate.image" -}}
{{- with .Values.image -}}
{{- if .digest -}}
{{ .repository }}@{{ .digest }}
{{- else -}}
{{ .repository }}:{{ .tag | default $.Chart.AppVersion }}
{{- end -}}
{{- end -}}
{{- end }}

{{- define "tidegate.pullSecrets" -}}
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- end }}

{{/* Of every pod: nobody's rights, nobody's token. */}}
{{- define "tidegate.podSecurity" -}}
runAsNonRoot: true
{{- with .Values.runAsUser }}
runAsUser: {{ int . }}
runAsGroup: {{ int . }}
fsGroup: {{ int . }}
fsGroupChangePolicy: OnRootMismatch
{{- end }}
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{- define "tidegate.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}

{{/* JavaScript's objects have half of the memory limit: what is mirrored lies beside them, in buffers. Takes values. */}}
{{- define "tidegate.nodeOptions" -}}
{{- $limit := dig "resources" "limits" "memory" "" .values | toString -}}
{{- if regexMatch "^[0-9]+Gi$" $limit -}}
--max-old-space-size={{ mul (trimSuffix "Gi" $limit | int) 512 }}
{{- else if regexMatch "^[0-9]+Mi$" $limit -}}
--max-old-space-size={{ div (trimSuffix "Mi" $limit | int) 2 }}
{{- end -}}
{{- end }}

{{/* Of the bundled engines, which run as users of their own images. Takes user. */}}
{{- define "tidegate.enginePodSecurity" -}}
runAsNonRoot: true
runAsUser: {{ .user }}
runAsGroup: {{ .user }}
fsGroup: {{ .user }}
fsGroupChangePolicy: OnRootMismatch
seccompProfile:
  type: RuntimeDefault
{{- end }}
