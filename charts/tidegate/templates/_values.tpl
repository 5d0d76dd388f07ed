{{/* Merges two maps deeply. Values of the second take precedence, false and 0 included. */}}
{{- define "tidegate.merged" -}}
{{- $merged := deepCopy (index . 0) -}}
{{- range $key, $value := index . 1 -}}
{{- if and (kindIs "map" $value) (kindIs "map" (get $merged $key)) -}}
{{- $_ := set $merged $key (include "tidegate.merged" (list (get $merged $key) $value) | fromYaml) -}}
{{- else -}}
{{- $_ := set $merged $key $value -}}
{{- end -}}
{{- end -}}
{{- toYaml $merged -}}
{{- end }}

{{/* The values of one service: its own values override those of parts. Takes root and part. */}}
{{- define "tidegate.partValues" -}}
{{- include "tidegate.merged" (list .root.Values.parts (get .root.Values .part)) -}}
{{- end }}

{{/* The services to install, as a list. */}}
{{- define "tidegate.parts" -}}
{{- $parts := list "gateway" "store" "watch" -}}
{{- if .Values.health.enabled }}{{ $parts = append $parts "health" }}{{ end -}}
{{- toYaml $parts -}}
{{- end }}

{{/* "yes" if NATS is configured, otherwise empty. */}}
{{- define "tidegate.hasNats" -}}
{{- if or .Values.nats.bundled.enabled .Values.nats.url .Values.nats.existingSecret -}}yes{{- end -}}
{{- end }}

{{/* Rejects combinations of values that the schema cannot reject. */}}
{{- define "tidegate.validate" -}}
{{- $database := list -}}
{{- with .Values.postgresql -}}
{{- if .existingSecret }}{{ $database = append $database "postgresql.existingSecret" }}{{ end -}}
{{- if .url }}{{ $database = append $database "postgresql.url" }}{{ end -}}
{{- if .bundled.enabled }}{{ $database = append $database "postgresql.bundled.enabled" }}{{ end -}}
{{- end -}}
{{- if not $database -}}
{{- fail "No PostgreSQL is configured: set postgresql.existingSecret to a Secret with the key url, or for a trial postgresql.bundled.enabled=true" -}}
{{- else if gt (len $database) 1 -}}
{{- fail (printf "%s exclude each other: set only one of them" (join " and " $database)) -}}
{{- end -}}
{{- $bus := list -}}
{{- with .Values.nats -}}
{{- if .existingSecret }}{{ $bus = append $bus "nats.existingSecret" }}{{ end -}}
{{- if .url }}{{ $bus = append $bus "nats.url" }}{{ end -}}
{{- if .bundled.enabled }}{{ $bus = append $bus "nats.bundled.enabled" }}{{ end -}}
{{- if gt (len $bus) 1 }}{{ fail (printf "%s exclude each other: set only one of them" (join " and " $bus)) }}{{ end -}}
{{- if and .clientCertificate (not .tlsSecret) }}{{ fail "nats.clientCertificate requires nats.tlsSecret, which holds the certificate" }}{{ end -}}
{{- end -}}
{{- if eq .Values.certificates.mode "existing" -}}
{{- with .Values.certificates.existing -}}
{{- range $part := include "tidegate.parts" $ | fromYamlArray -}}
{{- if not (get $.Values.certificates.existing.peer $part) }}{{ fail (printf "certificates.mode is existing: set certificates.existing.peer.%s to the Secret of that service's certificate" $part) }}{{ end -}}
{{- end -}}
{{- if not .serving }}{{ fail "certificates.mode is existing: set certificates.existing.serving to the Secret of the gateway's serving certificate" }}{{ end -}}
{{- end -}}
{{- end -}}
{{- if and .Values.gateway.ingress.enabled (not .Values.gateway.ingress.hosts) -}}
{{- fail "gateway.ingress.enabled requires gateway.ingress.hosts: the host names that clients use" -}}
{{- end -}}
{{- range $part := include "tidegate.parts" . | fromYamlArray -}}
{{- $values := include "tidegate.partValues" (dict "root" $ "part" $part) | fromYaml -}}
{{- if lt (int $values.terminationGracePeriodSeconds) (add (int $values.shutdownDelaySeconds) 10 | int) -}}
{{- fail (printf "%s: terminationGracePeriodSeconds is %d, but must be at least shutdownDelaySeconds (%d) plus 10 for the process to stop" $part (int $values.terminationGracePeriodSeconds) (int $values.shutdownDelaySeconds)) -}}
{{- end -}}
{{- if and $values.autoscaling.enabled (gt (int $values.autoscaling.minReplicas) (int $values.autoscaling.maxReplicas)) -}}
{{- fail (printf "%s: autoscaling.minReplicas is greater than autoscaling.maxReplicas" $part) -}}
{{- end -}}
{{- if and $values.autoscaling.enabled (not $values.autoscaling.targetCPUUtilizationPercentage) (not $values.autoscaling.targetMemoryUtilizationPercentage) -}}
{{- fail (printf "%s: autoscaling requires targetCPUUtilizationPercentage or targetMemoryUtilizationPercentage" $part) -}}
{{- end -}}
{{- end -}}
{{- end }}
