package readiness

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/assert"
)

// withConditions is an object of a generation, with conditions and what else its status says.
func withConditions(generation any, status object, conditions ...any) object {
	live := object{"metadata": object{"name": "web"}, "status": object{"conditions": conditions}}
	if generation != nil {
		live["metadata"].(object)["generation"] = generation
	}
	maps.Copy(live["status"].(object), status)
	return live
}

func TestAConditionIsWaitedForUntilItHasAStatus(t *testing.T) {
	isFalse := object{"type": "Ready", "status": "False", "reason": "ImagePullBackOff", "message": "no such image"}
	for name, c := range map[string]struct {
		condition string
		live      object
		missing   []string
	}{
		"True is meant where no status is named":    {"Ready", withConditions(nil, nil, object{"type": "Ready", "status": "True"}), nil},
		"True":                                      {"Ready=True", withConditions(nil, nil, object{"type": "Ready", "status": "True"}), nil},
		"False":                                     {"Ready=False", withConditions(nil, nil, isFalse), nil},
		"Unknown":                                   {"Ready=Unknown", withConditions(nil, nil, object{"type": "Ready", "status": "Unknown"}), nil},
		"neither case matters":                      {"ready=TRUE", withConditions(nil, nil, object{"type": "Ready", "status": "true"}), nil},
		"spaces around it do not matter":            {" Ready = False ", withConditions(nil, nil, isFalse), nil},
		"it is False and should be True":            {"Ready", withConditions(nil, nil, isFalse), []string{"condition Ready=False (ImagePullBackOff): no such image"}},
		"it is True and should be False":            {"Ready=False", withConditions(nil, nil, object{"type": "Ready", "status": "True"}), []string{"condition Ready=True"}},
		"Unknown is neither True":                   {"Ready", withConditions(nil, nil, object{"type": "Ready", "status": "Unknown"}), []string{"condition Ready=Unknown"}},
		"Unknown is nor False":                      {"Ready=False", withConditions(nil, nil, object{"type": "Ready", "status": "Unknown"}), []string{"condition Ready=Unknown"}},
		"it is found among others":                  {"Ready", withConditions(nil, nil, object{"type": "Synced", "status": "False"}, object{"type": "Ready", "status": "True"}), nil},
		"only others are there":                     {"Ready", withConditions(nil, nil, object{"type": "Synced", "status": "True"}), []string{"there is no condition Ready yet"}},
		"a condition that is not there is no False": {"Ready=False", withConditions(nil, nil), []string{"there is no condition Ready yet"}},
		"there is no status yet":                    {"Ready", object{"metadata": object{"name": "web"}}, []string{"there is no condition Ready yet"}},
		"conditions that are no list":               {"Ready", object{"status": object{"conditions": "none"}}, []string{"there is no condition Ready yet"}},
		"entries that are no conditions":            {"Ready", withConditions(nil, nil, "x", nil, object{"type": int64(1)}, object{"type": "Ready", "status": "True"}), nil},
	} {
		t.Run(name+" [W3]", func(t *testing.T) {
			assertVerdict(t, Criteria{Condition: c.condition}, c.live, c.missing...)
		})
	}
}

func TestAConditionOfAnOldGenerationDoesNotCount(t *testing.T) {
	condition := func(observed any) object {
		if observed == nil {
			return object{"type": "Ready", "status": "True"}
		}
		return object{"type": "Ready", "status": "True", "observedGeneration": observed}
	}
	status := func(observed int64) object { return object{"observedGeneration": observed} }
	for name, c := range map[string]struct {
		live  object
		stale string
	}{
		"it is about this generation":                      {withConditions(int64(2), nil, condition(int64(2))), ""},
		"it is about an older generation":                  {withConditions(int64(2), nil, condition(int64(1))), "generation 1, the object is at 2"},
		"the status is about this generation":              {withConditions(int64(2), status(2), condition(nil)), ""},
		"the status is about an older generation":          {withConditions(int64(2), status(1), condition(nil)), "generation 1, the object is at 2"},
		"the condition's own word counts, if it is newer":  {withConditions(int64(2), status(1), condition(int64(2))), ""},
		"the condition's own word counts, if it is older":  {withConditions(int64(2), status(2), condition(int64(1))), "generation 1, the object is at 2"},
		"neither says what it is about":                    {withConditions(int64(2), nil, condition(nil)), ""},
		"the object has no generation":                     {withConditions(nil, status(1), condition(int64(1))), ""},
		"the condition says that nothing was observed yet": {withConditions(int64(1), nil, condition(int64(0))), "generation 0, the object is at 1"},
		"the status says that nothing was observed yet":    {withConditions(int64(1), status(0), condition(nil)), "generation 0, the object is at 1"},
		"it is about a later generation than was read":     {withConditions(int64(2), nil, condition(int64(3))), ""},
	} {
		t.Run(name+" [W4]", func(t *testing.T) {
			var missing []string
			if c.stale != "" {
				missing = []string{"condition Ready=True is out of date: it is about " + c.stale}
			}
			assertVerdict(t, Criteria{Condition: "Ready"}, c.live, missing...)
		})
	}
	t.Run("that it has another status is said first [W4]", func(t *testing.T) {
		assertVerdict(t, Criteria{Condition: "Ready=False"}, withConditions(int64(2), nil, condition(int64(1))), "condition Ready=True")
	})
}

func TestAConditionThatCannotBeWaitedForIsRefused(t *testing.T) {
	for condition, why := range map[string]string{
		"Ready=Yes":   `the status of a condition is True, False or Unknown, not "Yes"`,
		"Ready=":      `the status of a condition is True, False or Unknown, not ""`,
		"Ready==True": `the status of a condition is True, False or Unknown, not "=True"`,
		"=True":       "name a condition, such as Ready or Ready=False",
		" ":           "name a condition, such as Ready or Ready=False",
	} {
		t.Run(condition+" is refused [W3]", func(t *testing.T) {
			_, problems := Compile(Criteria{Condition: condition})
			assert.Equal(t, []Problem{{Criterion: NameCondition, Reason: why}}, problems)
		})
	}
}

func TestConditionsAreListedInTheirOrder(t *testing.T) {
	live := withConditions(nil, nil,
		object{"type": "Synced", "status": "True", "reason": "Done"},
		object{"type": "Ready", "status": "False", "message": "not yet"},
		object{"type": "Healthy", "status": "Unknown"})
	var lines []string
	for _, condition := range Conditions(live) {
		lines = append(lines, condition.String())
	}
	assert.Equal(t, []string{"Synced=True (Done)", "Ready=False: not yet", "Healthy=Unknown"}, lines)
	assert.Empty(t, Conditions(object{}))
}
