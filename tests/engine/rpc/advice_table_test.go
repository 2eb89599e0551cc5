package rpc_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/checkout"
)

// advice is a part of a message that says what to write or to run.
type advice struct {
	// says is in the text of the message, as the source has it.
	says string
	// by are the tests that do what it says: a folder, a function, and after a slash a word of the story, if the function tells several.
	by []string
	// none is why there is nothing to carry out, and whole means that this is all of the text.
	none  string
	whole bool
}

func (a advice) isIn(text string) bool {
	return text == a.says || !a.whole && strings.Contains(text, a.says)
}

func carriedOut(says string, by ...string) advice { return advice{says: says, by: by} }

func isNone(says, why string) advice { return advice{says: says, none: why} }

const (
	promise    = "it says what the next command does by itself, which TestEveryLife follows to its end"
	describes  = "it describes an input, or says what is wrong with one, and the check of inputs has its tests"
	outside    = "it is about what neither Pulumi nor this cluster does: an account at a registry, a load, a person to ask"
	translates = "it is part of another message, which typed resources say in their words"
	ofHelm     = "it names helm's own command, whose result the provider reads as any other chart"
)

// advices are all that messages say to write or to run.
var advices = []advice{
	// Lines for a program.
	carriedOut("run the command once without %[2]s", "e2e.TestAChartWithoutCheckpoints/that has to draw fails before it makes anything"),
	carriedOut("One object belongs to one resource.\nNext: remove one of them.", "e2e.TestTwoResourcesForOneObject/each of them alone succeeds"),
	carriedOut("set conflictPolicy to \"force\"", "rpc.TestConflictPolicyFail/\"conflictPolicy\": \"force\"", "rpc.TestTheLineForIgnoreFieldsWorksWhereItIsPasted"),
	carriedOut("%s: these fields are not as in the manifest", "rpc.TestTheLineForIgnoreFieldsWorksWhereItIsPasted/drift that stays"),
	carriedOut("leave the fields to whoever has changed them: ", "rpc.TestTheLineForIgnoreFieldsWorksWhereItIsPasted"),
	carriedOut("API server refuses the update because of fields that the program has not changed", "rpc.TestTheLineForIgnoreFieldsWorksWhereItIsPasted"),
	carriedOut("Ignore the whole: %s", "rpc.TestIgnoredPartsOfWhatIsOwnedAsAWhole/the line that the message offers works"),
	carriedOut("add them to ignoreFields; their names are secret", "rpc.TestTheLineForIgnoreFieldsWorksWhereItIsPasted/whose names are secret"),
	carriedOut("\nTo leave to a controller whatever it owns:\n  ", "rpc.TestTheLineForIgnoreManagersWorksWhereItIsPasted"),
	carriedOut("whatever it owns, add to ignoreManagers: ", "rpc.TestTheLineForIgnoreManagersWorksWhereItIsPasted/is secret already"),
	isNone("name the field in ignoreFields.", describes),
	isNone("takeOverFrom names the same field manager", describes),
	carriedOut("add to ignoreFields: ", "rpc.TestTheLineForIgnoreFieldsWorksWhereItIsPasted/is secret already"),
	carriedOut("with\n  ignoreFields: [%s]\nand `adopt: true`", "rpc.TestAnImportOfNumbersThatPulumiCannotKeep/\"adopt\": true"),
	carriedOut("each item of a list once, with `adopt: true`", "rpc.TestWhatMessagesAdviseHelps/each item of a list once"),
	carriedOut("take it over: %s. Otherwise remove the resource", "rpc.TestTheLineForTakeOverFromWorksWhereItIsPasted/of an object that another KubeObject manages",
		"rpc.TestTheManagerFollowsTheURN", "e2e.TestRename/an alias keeps the object"),
	carriedOut("unless it takes the object over: %s", "rpc.TestTheLineForTakeOverFromWorksWhereItIsPasted/of an imported object"),
	carriedOut("take its fields over: %s", "rpc.TestTheLineForTakeOverFromWorksWhereItIsPasted/one after the other"),
	carriedOut("once without its name in takeOverFrom, and once with it", "rpc.TestTheLineForTakeOverFromWorksWhereItIsPasted/that has come back"),
	carriedOut("\nTo remove them: ", "rpc.TestTheLineForTakeOverFromWorksWhereItIsPasted/leave the manifest and stay"),
	carriedOut("To remove what is theirs: run `pulumi up` once without ", "rpc.TestTheLineForTakeOverFromWorksWhereItIsPasted/that has come back"),
	carriedOut("To remove them: write them into the manifest for one `pulumi up`, and take them out in the next",
		"rpc.TestWhatMessagesAdviseHelps/without an owner", "rpc.TestWhatAnAdoptedObjectHasBeyondTheManifest"),
	carriedOut("with them in the manifest and without takeOverFrom, once with both, and once without them",
		"rpc.TestWhatAnAdoptedObjectHasBeyondTheManifest/as the update advises"),
	carriedOut("To remove them, if their manager no longer manages the object", "rpc.TestTheLineForTakeOverFromWorksWhereItIsPasted/has more than the manifest"),
	carriedOut("stay on the object without an owner", "rpc.TestWhatMessagesAdviseHelps/without an owner"),
	carriedOut("take the object over from it: %s", "rpc.TestTheLineForTakeOverFromWorksWhereItIsPasted/of the target of a Patch",
		"rpc.TestAPatchOfWhatAKubeObjectLeftBehind"),
	carriedOut("name the owner in takeOverFrom", "rpc.TestADefaultThatIsLeftOverIsNotInTheWayOfAFirstApply/takes over from its owner"),
	carriedOut("set the field in this manifest and take it out of ignoreFields", "rpc.TestWhatMessagesAdviseHelps/a contradiction with an ignored field"),
	carriedOut("import it: pulumi import ", "rpc.TestTheCommandLinesOfMessagesRun/pulumi import", "rpc.TestAKilledProviderIsContinued", "e2e.TestAdopt"),
	carriedOut("created it (%s), and the state does not have it", "rpc.TestAKilledProviderIsContinued/resumeWithin"),
	carriedOut("use the resource option dependsOn", "e2e.TestDocs"),
	carriedOut("onImmutable is \"fail\"", "rpc.TestKindsThatHoldDataAreKept/that may be replaced is", "rpc.TestKindsOfOthersAreKept/where the user says so"),
	carriedOut("are never moved implicitly", "rpc.TestWhatMessagesAdviseHelps/for a namespace that has changed"),
	carriedOut("set ignoreChanges to [%q]", "e2e.TestABigConfigMap/stays as it is under ignoreChanges"),
	carriedOut("set the resource option deleteBeforeReplace to true", "e2e.TestSameNameReplacement/never loses the object"),
	carriedOut("With retainOnDelete, Pulumi does not delete what it replaces", "e2e.TestUnchangeable/what such a replacement left is"),
	carriedOut("To keep the object, take the change back and set `adopt: true`", "e2e.TestUnchangeable/what such a replacement left is"),
	carriedOut("or keep the definition, with the resource option `retainOnDelete: true`", "e2e.TestObjectsThatAreNotOurs/deleteInstances: true",
		"e2e.TestUnchangeable/retainOnDelete keeps the object in a destroy", "rpc.TestEachInputThatChangesAloneIsCompared"),
	carriedOut("remove the annotation in a separate `pulumi up`", "rpc.TestWhatMessagesAdviseHelps/remove the annotation"),
	carriedOut("leave the annotation out until it is replaced", "rpc.TestWhatIsToBeKept/nor by the program that adds the annotation"),
	carriedOut("give the object as manifest, or name the part in ignoreFields", "rpc.TestIgnoreChangesOfAManifestThatIsText/a part is kept once"),
	carriedOut("name the part in ignoreFields; or, to keep", "rpc.TestIgnoreChangesOfAManifestThatIsTooBig"),
	carriedOut("for the resource that the value comes from: the next preview", "rpc.TestAPreviewOfAnObjectWhoseNameIsNotKnownYet/is a replacement if what is known differs"),
	carriedOut("set `adopt: true` to manage it again", "rpc.TestAnObjectThatAnOldStateDoesNotHaveStaysWithAWord"),
	carriedOut("run `pulumi up` once with the program of that run", "rpc.TestAReplacementThatWasKilledAndTakenBackSaysTheWayOut"),
	{says: "  Next: . ", whole: true, by: []string{"rpc.TestAKindThatIsDefinedAndNotServed/keeps a Wait, which a preview repeats"}},
	carriedOut("let the token depend on it (dependsOn)", "rpc.TestATokenOfAnAccount"),
	carriedOut("was renamed, give it the old name again and run `pulumi up`", "releases.TestARenameThatGetsItsAliasLaterGoesBackFirst"),
	carriedOut("belongs to a rename that is not complete", "e2e.TestARenameOfASetThatFailsGoesOnInPlace/and meanwhile its former name is taken",
		"e2e.TestARenameOfASetThatFailsGoesOnInPlace/and back, without an alias"),
	carriedOut("give it the old name as an alias", "e2e.TestRename/an alias keeps the object", "e2e.TestTwoPatchesOfOneObject"),
	carriedOut("set forceDestroy to true and run `pulumi up`, which saves it", "rpc.TestForceDestroy/saved by an update that touches nothing"),
	carriedOut("To delete it although this run fails, set forceDestroy", "rpc.TestWhatMessagesAdviseHelps/for a Task that fails", "rpc.TestWhatMessagesAdviseHelps/for a release"),
	carriedOut("forget what the state has in it: set the environment variable", "rpc.TestAClusterThatCannotBeTold/forgetClusters to [", "e2e.TestAnotherCurrentContext"),
	carriedOut("set `lookup: none`", "e2e.TestALookupInAClusterThatCannotBeReachedSaysSo", "e2e.TestWhatATemplateLooksUp/lookup: none"),
	carriedOut("set `adopt: true` for them in `overrides`", "e2e.TestAReleaseIsNotInstalledOverAnother", "e2e.TestASecretThatAnEarlierReleaseHasKeptIsLookedUp", "e2e.TestAReleaseOfHelmIsTakenOver"),
	carriedOut("hooks of installs would run again. Restore the state", "e2e.TestAReleaseThatTheStateHasLostIsNotInstalledAgain"),
	carriedOut("or set `adopt: true`: values that can be recognised", "e2e.TestAReleaseThatTheStateHasLostKeepsItsPasswords"),
	carriedOut("to run it again, use `pulumi up --replace` with its URN", "e2e.TestAJobWithATimeToLiveWhoseEndNobodySaw/with a warning, once"),
	carriedOut("set `deleteInstances: true` in an override", "e2e.TestASetWhoseDefinitionOutlivesItIsTakenDown", "e2e.TestASetIsNotTakenDownUnderTheObjectsOfOthers"),
	carriedOut("`wait: all`, which customTimeouts of the set bounds", "e2e.TestCustomTimeoutsOfAChartLimitItsHooksAndWaits/wait: all"),
	carriedOut("the resource option customTimeouts of the set", "e2e.TestCustomTimeoutsOfAChartLimitItsHooksAndWaits"),
	carriedOut("To wait again, change waitFor or triggers", "rpc.TestWhenAWaitWaitsAgain"),
	carriedOut("list the fields in ignoreFields to leave them to their owner", "rpc.TestTheLineForIgnoreFieldsWorksWhereItIsPasted"),
	carriedOut("import the existing object, or take it over with `adopt: true`", "rpc.TestTheCommandLinesOfMessagesRun/pulumi import", "e2e.TestAdopt"),
	carriedOut("keep %s in the manifest for now", "e2e.TestWhatTheSecondAttackFoundFromOutside/in the way that its refusal tells"),

	carriedOut("To remove it, use mergePatch with null, or jsonPatch with the operation remove", "rpc.TestWhatMessagesAdviseHelps/remove a field by a patch"),
	carriedOut("To remove a field, use mergePatch with null or jsonPatch with the operation remove", "rpc.TestWhatMessagesAdviseHelps/remove a field by a patch"),

	// Commands.
	carriedOut("kubectl replace -f -", "e2e.TestWhatTheSecondAttackFoundFromOutside/in the way that its refusal tells"),
	carriedOut("kubectl delete pvc", "rpc.TestTheCommandLinesOfMessagesRun/kubectl delete pvc"),
	carriedOut("has failed does not run again", "rpc.TestTheCommandLinesOfMessagesRun/kubectl delete makes way", "e2e.TestTheWayOutOfAFailedJob"),
	carriedOut("kubectl logs --namespace ", "rpc.TestTheCommandLinesOfMessagesRun/kubectl logs", "rpc.TestTheLogOfAContainerThatFailed"),
	carriedOut("kubectl describe pvc", "rpc.TestTheCommandLinesOfMessagesRun/kubectl describe"),
	carriedOut("kubectl get apiservice", "rpc.TestTheCommandLinesOfMessagesRun/kubectl get apiservice"),
	carriedOut("kubectl auth can-i ", "rpc.TestTheCommandLinesOfMessagesRun/kubectl auth can-i"),
	carriedOut("kubectl get validatingwebhookconfigurations", "rpc.TestTheCommandLinesOfMessagesRun/kubectl get finds"),
	carriedOut("a destroy uses the connection of the last `pulumi up`", "rpc.TestRotatedCredentials"),
	carriedOut("resolve what blocks it, and run `pulumi up` again", "rpc.TestAnObjectThatIsBeingDeleted"),
	carriedOut("A field can be in only one Patch", "e2e.TestTwoPatchesOfOneObject"),
	carriedOut("Until then, `pulumi up` fails for this resource", "rpc.TestGuardsOfAJSONPatch"),
	carriedOut("Write it into the program; the next `pulumi up`", "rpc.TestWhatChangesAWaitAndWhatReplacesIt", "e2e.TestATaskRunsOncePerChange"),
	carriedOut("run `pulumi up` first, or the command without it", "e2e.TestPartsOfARelease"),
	carriedOut("Delete them when you are done with Helm", "e2e.TestAReleaseOfHelmIsTakenOver", "e2e.TestDocs"),
	carriedOut("Run the whole program, without --target", "e2e.TestPartsOfARelease"),

	// What to do with objects.
	carriedOut("delete it by hand ", "rpc.TestWhatMessagesAdviseHelps/delete by hand", "rpc.TestADefaultThatIsLeftOverIsNotInTheWayOfAFirstApply/delete it by hand"),
	carriedOut("its field immutable is true", "rpc.TestWhatMessagesAdviseHelps/that others have made immutable"),
	carriedOut("cannot be changed to what the manifest says", "rpc.TestAFieldThatCannotBeChangedByATakeover", "rpc.TestADefaultThatIsLeftOverIsNotInTheWayOfAFirstApply/delete it by hand"),
	carriedOut("nothing proves that a replacement would help", "rpc.TestWhatMessagesAdviseHelps/of which nothing proves"),
	carriedOut("Next: run again when it is gone", "rpc.TestAnObjectThatIsBeingDeleted"),
	carriedOut("the update contradicts what the live object has", "rpc.TestWhatMessagesAdviseHelps/a contradiction with the field of another", "rpc.TestEveryLife"),
	carriedOut("has not ended. It was not touched.", "rpc.TestWhatHasTheNameOfAHook", "e2e.TestAnObjectBecomesAHook/one that runs is left alone"),
	carriedOut("exists already, and this %s did not make it", "rpc.TestWhatHasTheNameOfAHook", "rpc.TestWhatHasTheNameOfWhatATaskNeeds"),
	carriedOut("was last seen in %s and is not found in %s", "rpc.TestAClusterThatCannotBeTold"),
	carriedOut("Next: use the connection of the former", "rpc.TestAnotherCurrentContext"),
	carriedOut("check context, host and $KUBECONFIG before you continue", "rpc.TestAnotherCurrentContext"),
	carriedOut("find out who deleted it, and let its deletion finish", "rpc.TestWhatIsBeingDeletedIsReadyForNothingElse"),
	carriedOut("make sure that nothing needs it and delete it", "rpc.TestWhatHasTheNameOfWhatATaskNeeds/w.delete(c.theirs"),
	carriedOut("make sure that there is a ServiceAccount", "rpc.TestATokenOfAnAccount"),
	carriedOut("make sure that its CustomResourceDefinition is installed", "rpc.TestAWaitForWhatIsNotThereYet"),
	{says: "  Next: %s.\n  %s", by: []string{"e2e.TestTheWayOutOfAFailedJob"}, whole: true},
	carriedOut("make sure that something creates the object", "rpc.TestAWaitForWhatIsNotThereYet"),
	carriedOut("set waitFor.http.port to ", "rpc.TestWhomAWaitAsks/a port that is one of several must be named"),
	carriedOut("use waitFor { deleted: true } without count", "rpc.TestAWaitForMany/for deletion waits until none is left"),
	carriedOut("creates it again if it is part of the program", "rpc.TestAWaitThatCannotSucceedFailsAtOnce", "e2e.TestTheWayOutOfAFailedJob"),
	carriedOut("or give it more time with ", "rpc.TestWhenAWaitWaitsAgain", "rpc.TestOneBudgetForAWait"),
	carriedOut("The next command runs it again.", "e2e.TestATaskThatFails", "rpc.TestAHookWhoseJobIsDisturbed"),
	carriedOut("Then run the command again, which runs it again.", "e2e.TestATaskThatFails"),
	carriedOut("It was left running: the next command goes on waiting for it", "e2e.TestATaskThatDoesNotEndInTime"),
	carriedOut("Remove what blocks the deletion of those objects", "rpc.TestForceDestroyOfADefinition"),

	// What there is nothing to do about.
	isNone("The next `pulumi up` waits again, in place", promise),
	isNone("the next `pulumi up` waits again, in place", promise),
	isNone("Then run `pulumi up`, which waits again, in place", promise),
	isNone("the next `pulumi up` continues in place", promise),
	isNone("the next `pulumi up` applies again, in place", promise),
	isNone("the next `pulumi up` finds out", promise),
	isNone("The next `pulumi up` finds out", promise),
	isNone("the next `pulumi up` runs it again", promise),
	isNone("the next `pulumi up` goes on waiting for it", promise),
	isNone("failures that the next `pulumi up` repairs in place", promise),
	{says: "\n  Next: ", none: "it is put before what to do, which stands elsewhere", whole: true},
	{says: "  Next: ", none: "it is put before what to do, which stands elsewhere", whole: true},
	isNone("The value must be an object with options, such as {adopt: true}", describes),
	isNone("in the manifest of the last `pulumi up`, its annotation", describes),
	isNone("Read the live objects only in `pulumi refresh`", describes),
	isNone("resumeWithin must be a duration", describes),
	isNone("does not allow taking them", describes),
	{says: " --namespace ", none: "it is a part of a command", whole: true},
	{says: " --previous", none: "it is a part of a command", whole: true},
	isNone("the aliases (*) up to here", "it is about the aliases of YAML"),
	isNone("forgetClusters must be a list", describes),
	isNone("as `kubectl get --show-managed-fields` shows it", describes),
	isNone("ignoreFields %s selects nothing", describes),
	carriedOut("this one begins in the object: ", "rpc.TestWhatMessagesAdviseHelps/correct a path that selects nothing"),
	isNone("which ignoreFields leaves to others", describes),
	isNone("which are no longer in ignoreFields", describes),
	isNone("which are no longer in ignoreFields. Their values have no owner", describes),
	isNone("its waitFor cannot be read", describes),
	isNone("there is no count: no object may be left", describes),
	isNone("forceDestroy removed the finalizers", "it says what was done"),
	isNone("because of forceDestroy", "it says what was done"),
	isNone("is in forgetClusters", "it says what was done"),
	isNone("forceDestroy would remove the volume", "it says why something does not help"),
	isNone("forceDestroy cannot help", "it says why something does not help"),
	isNone("that forceDestroy could remove", "it says why something does not help"),
	carriedOut("To keep them as they were, set ignoreChanges to [\"*\"]", "e2e.TestMessagesOfTypedResources/of a big object"),
	carriedOut("Name single options in it, such as .adopt", "e2e.TestMessagesOfTypedResources/\"k8sconnect.adopt\""),
	isNone("set ignoreChanges to [\"", translates),
	{says: "ignoreChanges names yaml", whole: true, none: translates},
	{says: "ignoreChanges names .", whole: true, none: translates},
	{says: "pulumi import ", whole: true, none: translates},
	carriedOut("Import one by its ID: ", "e2e.TestImport/is imported into a second stack"),
	carriedOut("To import them all the same, name the kind: --kinds Secret", "e2e.TestTheImportOfANamespaceIsNarrowed/a Secret, if its kind is named"),
	carriedOut("To move one to this stack, import it by its ID, with takeOverFrom", "rpc.TestTheLineForTakeOverFromWorksWhereItIsPasted/of an imported object"),
	carriedOut("Write, after `pulumi import --from k8sconnect --`, one of", "e2e.TestTheImportOfANamespaceIsNarrowed", "e2e.TestImportOfAStackAndARelease"),
	carriedOut("is not what `pulumi stack export` writes", "e2e.TestImportOfAStackAndARelease/the state of a stack"),
	carriedOut("or import the objects of the release: ", "e2e.TestImportOfAStackAndARelease/the record of a release"),
	isNone("If they are in another cluster, name it", outside),
	isNone("see `helm list --namespace", ofHelm),
	isNone("run again later, or with a lower --parallel", outside),
	isNone("raise customTimeouts if it is just slow", outside),
	isNone("replace the values by secrets of the configuration", "it is about the text of a program"),
	isNone("run the plugin by hand", outside),
	isNone("take the resource out of the state with `pulumi state delete`", "it names Pulumi's own command, which asks no provider"),
	isNone("download what is named, check it", "it is about files of a program"),
	isNone("its cluster cannot be asked which random values the release has", "it is about a connection that cannot be used, which every resource of the program says"),
	isNone("To keep a value, set it in `values`", "which of its values a chart takes in place of a drawn one is its own"),
	isNone("`helm dependency build`", ofHelm),
	isNone("`helm package`", ofHelm),
	isNone("`helm registry login`", ofHelm),
	isNone("`helm repo add`", "it says that what that command has stored is not read"),
}

// TestEveryAdviceIsCarriedOut fails for an advice in the provider that is not in the table, and for a row that is about none, or about a
// test that is not there. It knows an advice by commands, by the names of inputs and resource options, and by its first word.
func TestEveryAdviceIsCarriedOut(t *testing.T) {
	t.Parallel()
	found := messagesThat(t, `Next: |^make sure that |\bpulumi (up|preview|refresh|destroy|import|stack|state|config)\b|`+
		`\bkubectl [a-z]+|\bhelm (package|dependency|registry|repo|uninstall)\b| --[a-z]+|\bTo (remove|leave|keep) |\bleave the fields |over: %s|by hand |\b(`+strings.Join(namesToSet(t), "|")+`)\b|\b(adopt|lookup|wait): [a-z\[]`)
	require.Greater(t, len(found), 100, "the messages of the provider are found")
	used := make([]bool, len(advices))
	for _, message := range slices.Sorted(maps.Keys(found)) {
		covered := false
		for i, row := range advices {
			if row.isIn(message) {
				used[i], covered = true, true
			}
		}
		assert.True(t, covered, "%s: no row of the table says who carries this out:\n%s", found[message], message)
	}
	tests := map[string]string{}
	for i, row := range advices {
		assert.True(t, used[i], "no message says %q", row.says)
		assert.NotEqual(t, row.none == "", len(row.by) == 0, row.says)
		for _, by := range row.by {
			folder, rest, _ := strings.Cut(by, ".")
			function, story, _ := strings.Cut(rest, "/")
			if tests[folder] == "" {
				tests[folder] = testsOf(t, folder)
			}
			_, body, exists := strings.Cut(tests[folder], "\nfunc "+function+"(")
			assert.True(t, exists, "%q is carried out by %s, which is not there", row.says, by)
			body, _, _ = strings.Cut(body, "\nfunc Test")
			assert.Contains(t, body, story, "%q is carried out by %s, which does not tell that", row.says, by)
		}
	}
}

// namesToSet are the names of what a program can set, as far as no word of a sentence is written like them.
func namesToSet(t *testing.T) []string {
	t.Helper()
	names := []string{"aliases", "retainOnDelete", "ignoreChanges", "deleteBeforeReplace", "dependsOn", "customTimeouts", "replaceOnChanges"}
	text, err := checkout.Read("schema.json")
	require.NoError(t, err)
	type properties = map[string]any
	var schema struct {
		Config    struct{ Variables properties } `json:"config"`
		Resources map[string]struct {
			InputProperties properties `json:"inputProperties"`
		} `json:"resources"`
	}
	require.NoError(t, json.Unmarshal([]byte(text), &schema))
	add := func(all properties) {
		for name := range all {
			// A field of a manifest or of a connection is written like that, too.
			if strings.ToLower(name) != name && !slices.Contains([]string{"apiVersions", "kubeVersion", "clusterConnection", "resourceRef", "clusterCaCertificate",
				"clientCertificate", "clientKey", "tlsServerName", "proxyUrl", "releaseName", "mergePatch", "jsonPatch", "repoPassword", "repoUsername",
				"repoCaCertificate", "valueFiles", "isUpgrade", "logLines", "onFailure", "onDestroy", "takeOwnership", "runOn"}, name) {
				names = append(names, name)
			}
		}
	}
	add(schema.Config.Variables)
	for _, spec := range schema.Resources {
		add(spec.InputProperties)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// messagesThat are the texts in the source of the provider that match an expression, with their places. What is put together with + is one
// text.
func messagesThat(t *testing.T, expression string) map[string]string {
	t.Helper()
	root, err := checkout.Path("provider")
	require.NoError(t, err)
	matches, found := regexp.MustCompile(expression), map[string]string{}
	require.NoError(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(node ast.Node) bool {
			switch node := node.(type) {
			case *ast.ImportSpec, *ast.Field:
				return false
			case ast.Expr:
				text, is := textOfLiteral(node)
				if is && strings.Contains(text, " ") && matches.MatchString(text) {
					found[text] = strings.TrimPrefix(files.Position(node.Pos()).String(), root+"/")
				}
				return !is
			}
			return true
		})
		return nil
	}))
	return found
}

// textOfLiteral is a text that is written in the source, with nothing in the place of what is not.
func textOfLiteral(e ast.Expr) (text string, is bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind == token.STRING {
			text, err := strconv.Unquote(e.Value)
			return text, err == nil
		}
	case *ast.BinaryExpr:
		left, isLeft := textOfLiteral(e.X)
		right, isRight := textOfLiteral(e.Y)
		return left + right, e.Op == token.ADD && (isLeft || isRight)
	case *ast.ParenExpr:
		return textOfLiteral(e.X)
	}
	return "", false
}

// testsOf is the source of the tests of a folder beside this one.
func testsOf(t *testing.T, folder string) string {
	t.Helper()
	path, err := checkout.Path("tests", "engine", folder)
	require.NoError(t, err)
	names, err := filepath.Glob(filepath.Join(path, "*_test.go"))
	require.NoError(t, err)
	var all strings.Builder
	for _, name := range names {
		if filepath.Base(name) != "advice_table_test.go" {
			text, err := os.ReadFile(name)
			require.NoError(t, err)
			all.Write(text)
		}
	}
	return all.String()
}
