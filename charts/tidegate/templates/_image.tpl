{{/* The image of all services. */}}
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

{{/* Pod settings of every service: unprivileged, without a service account token. */}}
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

{{/* Half of the memory limit is for the JavaScript heap; mirrored objects live outside of it, in buffers. Takes values. */}}
{{- define "tidegate.nodeOptions" -}}
{{- $limit := dig "resources" "limits" "memory" "" .values | toString -}}
{{- if regexMatch "^[0-9]+Gi$" $limit -}}
--max-old-space-size={{ mul (trimSuffix "Gi" $limit | int) 512 }}
{{- else if regexMatch "^[0-9]+Mi$" $limit -}}
--max-old-space-size={{ div (trimSuffix "Mi" $limit | int) 2 }}
{{- end -}}
{{- end }}

{{/* Pod settings of the bundled PostgreSQL and NATS, which run as the users of their images. Takes user. */}}
{{- define "tidegate.enginePodSecurity" -}}
runAsNonRoot: true
runAsUser: {{ .user }}
runAsGroup: {{ .user }}
fsGroup: {{ .user }}
fsGroupChangePolicy: OnRootMismatch
seccompProfile:
  type: RuntimeDefault
{{- end }}
