{{/*
The Deployment of a service. Templates of the service itself add the rest: tidegate.PART.args, .env, .ports
and .mounts. Takes root, part and values.
*/}}
{{- define "tidegate.deployment" -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ include "tidegate.partName" . }}
  namespace: {{ .root.Release.Namespace }}
  labels:
    {{- include "tidegate.labels" . | nindent 4 }}
spec:
  {{- if not .values.autoscaling.enabled }}
  replicas: {{ int .values.replicas }}
  {{- end }}
  revisionHistoryLimit: 5
  strategy:
    type: RollingUpdate
    rollingUpdate:
      maxSurge: 1
      maxUnavailable: 0
  selector:
    matchLabels:
      {{- include "tidegate.selector" . | nindent 6 }}
  template:
    metadata:
      labels:
        {{- include "tidegate.labels" . | nindent 8 }}
        tidegate.io/has-metrics: "true"
        {{- if ne .part "health" }}
        tidegate.io/asked-by-health: "true"
        {{- end }}
        {{- with .values.podLabels }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      annotations:
        # a change of these values must restart the pods, which read them only at the start
        {{- with .root.Values }}
        tidegate.io/settings: {{ list .postgresql.url .postgresql.bundled.password .nats.url .nats.bundled.password | toJson | sha256sum | trunc 16 | quote }}
        {{- end }}
        {{- with .values.podAnnotations }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
    spec:
      {{- include "tidegate.pod" . | nindent 6 }}
{{- end }}

{{- define "tidegate.pod" -}}
serviceAccountName: {{ include "tidegate.serviceAccountName" . }}
automountServiceAccountToken: false
enableServiceLinks: false
{{- include "tidegate.pullSecrets" .root }}
securityContext:
  {{- include "tidegate.podSecurity" .root | nindent 2 }}
terminationGracePeriodSeconds: {{ int .values.terminationGracePeriodSeconds }}
{{- with .values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with .values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- if .values.topologySpread.enabled }}
topologySpreadConstraints:
  {{- range $key := list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
  - maxSkew: 1
    topologyKey: {{ $key }}
    whenUnsatisfiable: {{ $.values.topologySpread.whenUnsatisfiable }}
    labelSelector:
      matchLabels:
        {{- include "tidegate.selector" $ | nindent 8 }}
    matchLabelKeys: [pod-template-hash]
  {{- end }}
{{- end }}
containers:
  - name: {{ .part }}
    {{- include "tidegate.container" . | nindent 4 }}
volumes:
  - name: tmp
    emptyDir:
      sizeLimit: 64Mi
  {{- range include (printf "tidegate.%s.mounts" .part) .root | fromYamlArray }}
  - name: {{ .name }}
    secret:
      secretName: {{ .secret }}
      defaultMode: 0440
      {{- with .items }}
      items:
        {{- range . }}
        - key: {{ . }}
          path: {{ . }}
        {{- end }}
      {{- end }}
  {{- end }}
  {{- with .values.extraVolumes }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end }}

{{- define "tidegate.container" -}}
image: {{ include "tidegate.image" .root | quote }}
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
securityContext:
  {{- include "tidegate.containerSecurity" . | nindent 2 }}
args:
  - {{ .part }}
  {{- include "tidegate.sharedArgs" . | nindent 2 }}
  {{- include (printf "tidegate.%s.args" .part) .root | nindent 2 }}
  {{- range .values.extraArgs }}
  - {{ . | quote }}
  {{- end }}
env:
  - name: POD_NAME
    valueFrom:
      fieldRef:
        fieldPath: metadata.name
  - name: NODE_COMPILE_CACHE
    value: /tmp/compile-cache
  {{- with include "tidegate.nodeOptions" . }}
  - name: NODE_OPTIONS
    value: {{ . | quote }}
  {{- end }}
  {{- with include (printf "tidegate.%s.env" .part) .root }}
  {{- . | nindent 2 }}
  {{- end }}
  {{- with .values.extraEnv }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
ports:
  - name: grpc
    containerPort: 7443
  - name: ops
    containerPort: 8081
  {{- with include (printf "tidegate.%s.ports" .part) .root }}
  {{- . | nindent 2 }}
  {{- end }}
{{- include "tidegate.probes" . | nindent 0 }}
{{- if ne .part "gateway" }}
lifecycle:
  preStop:
    sleep:
      seconds: {{ int .values.shutdownDelaySeconds }}
{{- end }}
resources:
  {{- toYaml .values.resources | nindent 2 }}
volumeMounts:
  - name: tmp
    mountPath: /tmp
  {{- range include (printf "tidegate.%s.mounts" .part) .root | fromYamlArray }}
  - name: {{ .name }}
    mountPath: {{ .path }}
    readOnly: true
  {{- end }}
  {{- with .values.extraVolumeMounts }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end }}

{{/* Options of all services. */}}
{{- define "tidegate.sharedArgs" -}}
- --instance=$(POD_NAME)
- --grpc-address={{ .root.Values.listenAddress }}:7443
- --ops-address={{ .root.Values.listenAddress }}:8081
- --peer-cert-file=/etc/tidegate/peer/tls.crt
- --peer-key-file=/etc/tidegate/peer/tls.key
- --peer-ca-file=/etc/tidegate/peer/ca.crt
- --log-level={{ .values.logLevel }}
{{- with .root.Values.tracing }}
{{- if .otlpEndpoint }}
- --otlp-endpoint={{ .otlpEndpoint }}
- --trace-sample-ratio={{ .sampleRatio }}
{{- end }}
{{- end }}
{{- end }}

{{/* Only readiness is probed on the clients' port: overload by clients must not look like a dead process. */}}
{{- define "tidegate.probes" -}}
{{- $overrides := .values.probes -}}
{{- $ops := dict "port" "ops" "scheme" "HTTP" -}}
{{- $ready := $ops -}}
{{- if and (eq .part "gateway") (eq .values.readinessPort "https") }}{{ $ready = dict "port" "https" "scheme" "HTTPS" }}{{ end -}}
{{- $startup := dict "httpGet" (merge (dict "path" "/livez") $ops) "periodSeconds" 1 "failureThreshold" 120 "timeoutSeconds" 2 -}}
{{- $liveness := dict "httpGet" (merge (dict "path" "/livez") $ops) "periodSeconds" 10 "failureThreshold" 6 "timeoutSeconds" 5 -}}
{{- $readiness := dict "httpGet" (merge (dict "path" "/readyz") $ready) "periodSeconds" 3 "failureThreshold" 2 "timeoutSeconds" 3 -}}
startupProbe:
  {{- include "tidegate.merged" (list $startup (default dict $overrides.startup)) | nindent 2 }}
livenessProbe:
  {{- include "tidegate.merged" (list $liveness (default dict $overrides.liveness)) | nindent 2 }}
readinessProbe:
  {{- include "tidegate.merged" (list $readiness (default dict $overrides.readiness)) | nindent 2 }}
{{- end }}
