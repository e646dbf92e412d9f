{{- /* What the container has in both modes; the template of the mode adds its own options. */ -}}

{{- define "syswatch.containerStart" -}}
name: syswatch
image: {{ include "syswatch.image" . | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
{{- end }}

{{- define "syswatch.servingArgs" -}}
- --serve=0.0.0.0:{{ .Values.port }}
- --metrics-series={{ .Values.metricsSeries }}
{{- if .Values.token.existingSecret }}
- --http-token-file=/etc/syswatch/token
{{- end }}
{{- range .Values.extraArgs }}
- {{ . | quote }}
{{- end }}
{{- end }}

{{- define "syswatch.containerEnd" -}}
ports:
  - name: syswatch
    containerPort: {{ .Values.port }}
startupProbe:
  httpGet: {path: /healthz, port: syswatch}
  periodSeconds: 2
  failureThreshold: 60
livenessProbe:
  httpGet: {path: /healthz, port: syswatch}
  periodSeconds: 10
  timeoutSeconds: 5
readinessProbe:
  # With a token, /readyz needs it, and the manifest of a pod is not the place for one.
  httpGet: {path: {{ ternary "/healthz" "/readyz" (ne .Values.token.existingSecret "") }}, port: syswatch}
  periodSeconds: 5
  timeoutSeconds: 5
resources:
  {{- toYaml .Values.resources | nindent 2 }}
{{- with .Values.extraEnv }}
env:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- /* The only capabilities that a user other than root can have in Kubernetes are none. */ -}}
{{- define "syswatch.securityContext" -}}
{{- if .runAsUser -}}
runAsUser: {{ .runAsUser }}
runAsGroup: {{ .runAsUser }}
runAsNonRoot: true
{{- else -}}
runAsUser: 0
runAsGroup: 0
{{- end }}
privileged: false
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: ["ALL"]
  {{- if not .runAsUser }}
  add: {{ toJson .capabilities }}
  {{- end }}
seccompProfile:
  {{- toYaml .seccompProfile | nindent 2 }}
{{- end }}

{{- define "syswatch.tokenMount" -}}
{{- if .Values.token.existingSecret -}}
- name: token
  mountPath: /etc/syswatch
  readOnly: true
{{- end }}
{{- end }}

{{- define "syswatch.tokenVolume" -}}
{{- if .Values.token.existingSecret -}}
- name: token
  secret:
    secretName: {{ .Values.token.existingSecret }}
    # Group and others: the user of the sidecar may not be the owner of the file.
    defaultMode: 0444
    items:
      - key: {{ .Values.token.key }}
        path: token
{{- end }}
{{- end }}
