{{/* The names of objects: RELEASE-tidegate, or RELEASE where that says it already. */}}
{{- define "tidegate.fullname" -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else if contains $name .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end }}

{{/* Of one component. Takes root and part. */}}
{{- define "tidegate.partName" -}}
{{ include "tidegate.fullname" .root }}-{{ .part }}
{{- end }}

{{/* By what the pods of a component are found; never changes, because selectors cannot. Takes root and part. */}}
{{- define "tidegate.selector" -}}
app.kubernetes.io/name: {{ default .root.Chart.Name .root.Values.nameOverride | quote }}
app.kubernetes.io/instance: {{ .root.Release.Name | quote }}
app.kubernetes.io/component: {{ .part }}
{{- end }}

{{/* Takes root and part. */}}
{{- define "tidegate.labels" -}}
{{ include "tidegate.selector" . }}
app.kubernetes.io/part-of: tidegate
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
{{- end }}

{{/* Every name by which a Service is called in the cluster. Takes root and service. */}}
{{- define "tidegate.serviceNames" -}}
{{- $ns := .root.Release.Namespace -}}
- {{ .service }}
- {{ .service }}.{{ $ns }}
- {{ .service }}.{{ $ns }}.svc
- {{ .service }}.{{ $ns }}.svc.{{ .root.Values.clusterDomain }}
{{- end }}

{{/* The replicas of a part, as the others find them. Takes root and part. */}}
{{- define "tidegate.replicasOf" -}}
dns:///{{ include "tidegate.partName" . }}.{{ .root.Release.Namespace }}.svc:7443
{{- end }}

{{/* Takes root, part and values. */}}
{{- define "tidegate.serviceAccountName" -}}
{{- if .values.serviceAccount.name -}}
{{ .values.serviceAccount.name }}
{{- else if .values.serviceAccount.create -}}
{{ include "tidegate.partName" . }}
{{- else -}}
default
{{- end -}}
{{- end }}

{{/* What the pods of all components have in common. */}}
{{- define "tidegate.anyPart" -}}
app.kubernetes.io/name: {{ default .Chart.Name .Values.nameOverride | quote }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end }}
