{{- define "shared.name" -}}
{{ .Release.Name }}-{{ .Chart.Name }}
{{- end }}
{{- define "shared.labels" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
{{- with .Values.global.labels }}
{{ toYaml . }}
{{- end }}
{{- end }}
