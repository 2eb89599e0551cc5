{{- define "hooks.job" }}
spec:
  backoffLimit: 0
  template:
    spec:
      restartPolicy: Never
      {{- with .account }}
      serviceAccountName: {{ . }}
      {{- end }}
      containers:
        - name: run
          image: {{ .root.Values.image }}
          command: [sh, -c, {{ .root.Values.command | quote }}]
{{- end }}
