{{/* A NetworkPolicy peer: the pods of a service. Takes root and part. */}}
{{- define "tidegate.peerPods" -}}
- podSelector:
    matchLabels:
      {{- include "tidegate.selector" . | nindent 6 }}
{{- end }}

{{/* An egress rule to a service. Takes root, part and port. */}}
{{- define "tidegate.toPart" -}}
- to:
    {{- include "tidegate.peerPods" . | nindent 4 }}
  ports:
    - {protocol: TCP, port: {{ .port }}}
{{- end }}

{{/* An ingress rule from services. Takes root, parts and port. */}}
{{- define "tidegate.fromParts" -}}
- from:
    {{- range $part := .parts }}
    {{- include "tidegate.peerPods" (dict "root" $.root "part" $part) | nindent 4 }}
    {{- end }}
  ports:
    - {protocol: TCP, port: {{ .port }}}
{{- end }}

{{/* An egress rule to other addresses. Takes to and ports. */}}
{{- define "tidegate.toOutside" -}}
- {{ with .to }}to:
    {{- toYaml . | nindent 4 }}
  {{ end }}ports:
    {{- range .ports }}
    - {protocol: TCP, port: {{ int . }}}
    {{- end }}
{{- end }}

{{/* Egress rules of every service: DNS, and trace collectors. */}}
{{- define "tidegate.sharedEgress" -}}
- {{ with .Values.networkPolicy.dns }}to:
    {{- toYaml . | nindent 4 }}
  {{ end }}ports:
    - {protocol: UDP, port: 53}
    - {protocol: TCP, port: 53}
{{- if .Values.tracing.otlpEndpoint }}
{{ include "tidegate.toOutside" .Values.networkPolicy.otlp }}
{{- end }}
{{- end }}

{{/* Ingress rules for metrics. Probes need none: policies always allow connections from the node's kubelet. */}}
{{- define "tidegate.metricsIngress" -}}
- from:
    {{- if .Values.networkPolicy.prometheus }}
    {{- toYaml .Values.networkPolicy.prometheus | nindent 4 }}
    {{- else }}
    - namespaceSelector: {}
    {{- end }}
  ports:
    - {protocol: TCP, port: 8081}
{{- end }}

{{- define "tidegate.toPostgresql" -}}
{{- if .Values.postgresql.bundled.enabled -}}
{{ include "tidegate.toPart" (dict "root" . "part" "postgresql" "port" 5432) }}
{{- else -}}
{{ include "tidegate.toOutside" .Values.networkPolicy.postgresql }}
{{- end -}}
{{- end }}

{{- define "tidegate.toNats" -}}
{{- if .Values.nats.bundled.enabled }}
{{ include "tidegate.toPart" (dict "root" . "part" "nats" "port" 4222) }}
{{- else if include "tidegate.hasNats" . }}
{{ include "tidegate.toOutside" .Values.networkPolicy.nats }}
{{- end }}
{{- end }}

{{/* The beginning of a NetworkPolicy. Takes root and part. */}}
{{- define "tidegate.policyFor" -}}
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  name: {{ include "tidegate.partName" . }}
  namespace: {{ .root.Release.Namespace }}
  labels:
    {{- include "tidegate.labels" . | nindent 4 }}
spec:
  podSelector:
    matchLabels:
      {{- include "tidegate.selector" . | nindent 6 }}
  policyTypes: [Ingress, Egress]
{{- end }}
