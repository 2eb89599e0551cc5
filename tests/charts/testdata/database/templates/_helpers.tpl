{{- define "database.secretName" -}}
{{- if .Values.auth.existingSecret -}}
{{- tpl .Values.auth.existingSecret $ -}}
{{- else -}}
{{- include "common.fullname" . -}}
{{- end -}}
{{- end -}}

{{- define "database.validate" -}}
{{- $messages := list -}}
{{- if and (eq .Values.architecture "replication") (lt (int .Values.primary.replicas) 2) -}}
{{- $messages = append $messages "replication needs two replicas" -}}
{{- end -}}
{{- $messages = without $messages "" -}}
{{- with join "\n" $messages }}{{ printf "VALUES VALIDATION:\n%s" . | fail }}{{ end -}}
{{- end -}}
