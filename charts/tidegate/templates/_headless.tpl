{{/* A headless Service: its name resolves to the addresses of all pods. Takes root, part, selector, and all. */}}
{{- define "tidegate.headless" -}}
apiVersion: v1
kind: Service
metadata:
  name: {{ include "tidegate.partName" . }}
  namespace: {{ .root.Release.Namespace }}
  labels:
    {{- include "tidegate.labels" . | nindent 4 }}
spec:
  clusterIP: None
  publishNotReadyAddresses: {{ .all }}
  ports:
    - name: {{ .port }}
      port: {{ .number }}
      targetPort: {{ .port }}
  selector:
    {{- .selector | nindent 4 }}
{{- end }}
