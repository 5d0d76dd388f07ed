{{/* The Secret of a certificate, in every certificates.mode. Takes root and of: peer-PART, serving, front-proxy or ca. */}}
{{- define "tidegate.certificateSecret" -}}
{{- if eq .root.Values.certificates.mode "existing" -}}
{{- with .root.Values.certificates.existing -}}
{{- if hasPrefix "peer-" $.of -}}
{{ get .peer (trimPrefix "peer-" $.of) }}
{{- else -}}
{{ get (dict "serving" .serving "front-proxy" .frontProxy "ca" .clientAuthority) $.of }}
{{- end -}}
{{- end -}}
{{- else -}}
{{ include "tidegate.fullname" .root }}-{{ .of }}
{{- end -}}
{{- end }}

{{/* Three authorities: a client certificate is not valid between the services, nor as a front proxy's. */}}
{{- define "tidegate.authorities" -}}
- {name: ca, commonName: tidegate-ca}
- {name: peer-ca, commonName: tidegate-parts-ca}
- {name: front-proxy-ca, commonName: tidegate-front-proxy-ca}
{{- end }}

{{/* All certificates that Helm or cert-manager creates. The common name identifies the service. */}}
{{- define "tidegate.leaves" -}}
{{- range $part := include "tidegate.parts" . | fromYamlArray }}
{{- $names := include "tidegate.serviceNames" (dict "root" $ "service" (include "tidegate.partName" (dict "root" $ "part" $part))) | fromYamlArray }}
{{- $targets := include "tidegate.serviceNames" (dict "root" $ "service" (include "tidegate.partName" (dict "root" $ "part" "parts"))) | fromYamlArray }}
- name: peer-{{ $part }}
  authority: peer-ca
  commonName: {{ $part }}
  usages: [digital signature, server auth, client auth]
  dnsNames: {{ concat $names $targets (list "localhost") | toJson }}
  ipAddresses: ["127.0.0.1"]
{{- end }}
{{- $own := include "tidegate.serviceNames" (dict "root" . "service" (include "tidegate.partName" (dict "root" . "part" "gateway"))) | fromYamlArray }}
{{- $kubernetes := list "kubernetes" "kubernetes.default" "kubernetes.default.svc" (printf "kubernetes.default.svc.%s" .Values.clusterDomain) }}
{{- $dns := concat $own $kubernetes (list "localhost") .Values.gateway.ingress.hosts }}
{{- $ips := list "127.0.0.1" }}
{{- range .Values.gateway.serverNames }}
{{- if or (contains ":" .) (regexMatch "^[0-9.]+$" .) }}{{ $ips = append $ips . }}{{ else }}{{ $dns = append $dns . }}{{ end }}
{{- end }}
- name: serving
  authority: ca
  commonName: tidegate-gateway
  usages: [digital signature, server auth]
  dnsNames: {{ uniq $dns | toJson }}
  ipAddresses: {{ uniq $ips | toJson }}
- name: front-proxy
  authority: front-proxy-ca
  commonName: front-proxy-client
  usages: [digital signature, client auth]
  dnsNames: []
  ipAddresses: []
{{- end }}

{{/* Takes root, name, cert, key, ca and annotations. */}}
{{- define "tidegate.tlsSecret" -}}
apiVersion: v1
kind: Secret
type: kubernetes.io/tls
metadata:
  name: {{ .name }}
  namespace: {{ .root.Release.Namespace }}
  labels:
    {{- include "tidegate.labels" (dict "root" .root "part" "certificates") | nindent 4 }}
  {{- with .annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
data:
  tls.crt: {{ .cert | b64enc }}
  tls.key: {{ .key | b64enc }}
  ca.crt: {{ .ca | b64enc }}
{{- end }}
