{{/* The prefix of all names: RELEASE-tidegate, or RELEASE if that contains the chart's name. */}}
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

{{/* The name of one component. Takes root and part. */}}
{{- define "tidegate.partName" -}}
{{ include "tidegate.fullname" .root }}-{{ .part }}
{{- end }}

{{/* The selector labels of a component. They must never change, because selectors are immutable. Takes root and part. */}}
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

{{/* All DNS names of a Service in the cluster. Takes root and service. */}}
{{- define "tidegate.serviceNames" -}}
{{- $ns := .root.Release.Namespace -}}
- {{ .service }}
- {{ .service }}.{{ $ns }}
- {{ .service }}.{{ $ns }}.svc
- {{ .service }}.{{ $ns }}.svc.{{ .root.Values.clusterDomain }}
{{- end }}

{{/* The address by which other services find the replicas of a service. Takes root and part. */}}
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

{{/* Pod settings that all components share. */}}
{{- define "tidegate.anyPart" -}}
app.kubernetes.io/name: {{ default .Chart.Name .Values.nameOverride | quote }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end }}
