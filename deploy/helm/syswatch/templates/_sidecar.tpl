{{- /*
The container beside an application.  A chart that depends on this one can include it in its own pods,
which need `shareProcessNamespace: true`, and the volume "syswatch.tokenVolume" if there is a token.
*/ -}}
{{- define "syswatch.sidecar" -}}
{{- include "syswatch.containerStart" . }}
args:
  - attach
  - --backend=ptrace
  - --container={{ required "mode sidecar: sidecar.target must be the name of what is traced" .Values.sidecar.target }}
  # Attach as soon as it runs.  When it ends, so does syswatch, and Kubernetes starts it again.
  - --wait
  - --exit-with-target
  {{- include "syswatch.servingArgs" . | nindent 2 }}
securityContext:
  {{- $rights := dict "runAsUser" (int .Values.sidecar.runAsUser) "capabilities" (list "SYS_PTRACE") "seccompProfile" (dict "type" "RuntimeDefault") }}
  {{- include "syswatch.securityContext" $rights | nindent 2 }}
{{- include "syswatch.containerEnd" . | nindent 0 }}
{{- with include "syswatch.tokenMount" . }}
volumeMounts:
  {{- . | nindent 2 }}
{{- end }}
{{- end }}
