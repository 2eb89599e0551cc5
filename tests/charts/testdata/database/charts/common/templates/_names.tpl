{{- define "common.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{- define "common.fullname" -}}
{{- $name := include "common.name" . -}}
{{- if contains $name .Release.Name -}}
{{- .Release.Name | trunc 63 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 63 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "common.labels" -}}
app.kubernetes.io/name: {{ include "common.name" .context }}
helm.sh/chart: {{ printf "%s-%s" .context.Chart.Name .context.Chart.Version | replace "+" "_" }}
app.kubernetes.io/instance: {{ .context.Release.Name }}
app.kubernetes.io/managed-by: {{ .context.Release.Service }}
{{- with .context.Chart.AppVersion }}
app.kubernetes.io/version: {{ . | quote }}
{{- end }}
{{- with .custom }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "common.matchLabels" -}}
app.kubernetes.io/name: {{ include "common.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "common.tplvalues.render" -}}
{{- $value := typeIs "string" .value | ternary .value (.value | toYaml) }}
{{- if contains "{{" (toJson .value) }}
{{- tpl $value .context }}
{{- else }}
{{- $value }}
{{- end }}
{{- end -}}

{{- define "common.image" -}}
{{- $registry := .image.registry -}}
{{- if .global }}{{- with .global.imageRegistry }}{{- $registry = . }}{{- end }}{{- end -}}
{{- printf "%s/%s:%s" $registry .image.repository (.image.tag | toString) -}}
{{- end -}}

{{- define "common.capabilities.policy.apiVersion" -}}
{{- if semverCompare "<1.21-0" (default .Capabilities.KubeVersion.Version .Values.kubeVersion) -}}
policy/v1beta1
{{- else -}}
policy/v1
{{- end -}}
{{- end -}}

{{- define "common.secrets.manage" -}}
{{- $password := "" }}
{{- $data := (lookup "v1" "Secret" .context.Release.Namespace .secret).data }}
{{- if $data }}
  {{- if hasKey $data .key }}
    {{- $password = index $data .key | b64dec }}
  {{- else if not (eq .provided "") }}
    {{- $password = .provided }}
  {{- end }}
{{- else if .provided }}
  {{- $password = .provided }}
{{- else if .context.Release.IsUpgrade }}
  {{- printf "PASSWORDS ERROR: you must provide your current passwords" | fail }}
{{- else }}
  {{- $password = randAlphaNum 10 }}
{{- end -}}
{{- $password | b64enc -}}
{{- end -}}
