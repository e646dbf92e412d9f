{{- /* Where and how Prometheus scrapes: the same for both kinds of monitors. */ -}}
{{- define "syswatch.endpoint" -}}
port: syswatch
path: /metrics
interval: {{ .interval }}
{{- if .root.Values.token.existingSecret }}
authorization:
  credentials:
    name: {{ .root.Values.token.existingSecret }}
    key: {{ .root.Values.token.key }}
{{- end }}
relabelings:
  - sourceLabels: [__meta_kubernetes_pod_node_name]
    targetLabel: node
{{- end }}

{{- define "syswatch.monitorMetadata" -}}
{{- include "syswatch.metadata" .root }}
{{- with .labels }}
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
