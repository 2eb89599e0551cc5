{{- define "functions.label" -}}
{{ .Chart.Name }}
{{- end }}
{{/* A comment. */}}
{{- define "functions.tree" -}}
{{- if gt (int .depth) 0 -}}
{{ .depth }}{{ include "functions.tree" (dict "depth" (sub (int .depth) 1)) }}
{{- end -}}
{{- end }}
