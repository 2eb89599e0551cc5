{{- /* The content of a pod that works, but for its restartPolicy. */ -}}
{{- define "store.work" -}}
terminationGracePeriodSeconds: 1
volumes: [{ name: gates, hostPath: { path: {{ .root.Values.gates }}, type: Directory } }]
containers: [{{ include "store.container" . }}]
{{- end }}

{{- define "store.container" -}}
{ name: work, image: "workload:1", args: [work], volumeMounts: [{ name: gates, mountPath: /gates }],
  env: [{ name: NAME, value: {{ .name }} }{{ if .root.Values.held }}, { name: HELD, value: "true" }{{ end }}] }
{{- end }}

{{- define "store.job" -}}
apiVersion: batch/v1
kind: Job
metadata:
  name: {{ .root.Release.Name }}-{{ .name }}
  annotations: { helm.sh/hook: "{{ .hook }}", helm.sh/hook-weight: "{{ .weight }}" }
spec:
  backoffLimit: 0
  template:
    spec:
      restartPolicy: Never
      {{- include "store.work" . | nindent 6 }}
{{- end }}
