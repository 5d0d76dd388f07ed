{{/* The objects of one service: Deployment, service account, autoscaler, disruption budget. Takes root and part. */}}
{{- define "tidegate.part" -}}
{{- $values := include "tidegate.partValues" . | fromYaml -}}
{{- $part := merge (dict "values" $values) . -}}
{{ include "tidegate.deployment" $part }}
{{- if $values.serviceAccount.create }}
---
apiVersion: v1
kind: ServiceAccount
metadata:
  name: {{ include "tidegate.serviceAccountName" $part }}
  namespace: {{ .root.Release.Namespace }}
  labels:
    {{- include "tidegate.labels" $part | nindent 4 }}
  {{- with $values.serviceAccount.annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
automountServiceAccountToken: false
{{- end }}
{{- if $values.autoscaling.enabled }}
---
{{ include "tidegate.autoscaler" $part }}
{{- end }}
{{- $least := ternary $values.autoscaling.minReplicas $values.replicas $values.autoscaling.enabled }}
{{- if and $values.podDisruptionBudget.enabled (gt (int $least) 1) }}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ include "tidegate.partName" $part }}
  namespace: {{ .root.Release.Namespace }}
  labels:
    {{- include "tidegate.labels" $part | nindent 4 }}
spec:
  maxUnavailable: {{ $values.podDisruptionBudget.maxUnavailable }}
  # pods that are not ready must not block the drain of a node
  unhealthyPodEvictionPolicy: AlwaysAllow
  selector:
    matchLabels:
      {{- include "tidegate.selector" $part | nindent 6 }}
{{- end }}
{{- end }}

{{/* Takes root, part and values. */}}
{{- define "tidegate.autoscaler" -}}
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: {{ include "tidegate.partName" . }}
  namespace: {{ .root.Release.Namespace }}
  labels:
    {{- include "tidegate.labels" . | nindent 4 }}
spec:
  scaleTargetRef:
    apiVersion: apps/v1
    kind: Deployment
    name: {{ include "tidegate.partName" . }}
  minReplicas: {{ int .values.autoscaling.minReplicas }}
  maxReplicas: {{ int .values.autoscaling.maxReplicas }}
  behavior:
    # scale down slowly: clients of a removed replica must reconnect
    scaleDown:
      stabilizationWindowSeconds: 300
  metrics:
    {{- with .values.autoscaling.targetCPUUtilizationPercentage }}
    - type: Resource
      resource:
        name: cpu
        target:
          type: Utilization
          averageUtilization: {{ int . }}
    {{- end }}
    {{- with .values.autoscaling.targetMemoryUtilizationPercentage }}
    - type: Resource
      resource:
        name: memory
        target:
          type: Utilization
          averageUtilization: {{ int . }}
    {{- end }}
{{- end }}
