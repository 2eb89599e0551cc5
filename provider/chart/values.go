package chart

import (
	"fmt"
	"os"
	"path"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/check"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/chart"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
)

// decodeValues merges the values of the files with the values of the program, and reads which ones the program removes.
func (in *inputs) decodeValues(given property.Map, wrong *check.Mistakes) {
	in.values = map[string]any{}
	for i, file := range textsIn(given, keyValueFiles, wrong) {
		at := fmt.Sprintf("%s[%d]", keyValueFiles, i)
		text, err := os.ReadFile(file)
		if err != nil {
			wrong.Add(at, fmt.Sprintf("The file cannot be read: %v.", err))
			continue
		}
		more, err := chart.ParseValues(string(text))
		if err != nil {
			wrong.Add(at, fmt.Sprintf("%s: %v.", path.Base(file), err))
			continue
		}
		in.values = chart.MergeValues(in.values, more)
	}
	own := in.ownValues(given, wrong)
	in.decodeUnset(given, own, wrong)
	in.values = chart.MergeValues(in.values, own)
}

// ownValues are the values that the program gives itself.
func (in *inputs) ownValues(given property.Map, wrong *check.Mistakes) map[string]any {
	v := given.Get(keyValues)
	switch {
	case v.IsNull():
		return nil
	case v.IsComputed():
		in.unknown = append(in.unknown, keyValues)
		return nil
	case !v.IsMap():
		wrong.Add(keyValues, "The value must be a map.")
		return nil
	}
	plain, secrets, err := values.FromProperty(v)
	if err != nil {
		wrong.Add(keyValues, err.Error())
		return nil
	}
	own, _ := plain.(map[string]any)
	in.secrets = secrets
	return own
}
