package tracked

// RenameOfSet says what to do about a component that was renamed without an alias. The run that fails for this reason
// leaves the component in the state under its new name, and for a name that is in the state, the engine ignores
// aliases. A component cannot know whether that has happened.
const RenameOfSet = "was renamed, give it the old name again and run `pulumi up`; then rename it, with the old name as an alias (the resource option " +
	"`aliases`). With the alias alone it works only if no `up` has failed before: that has left the new name in the state, where it wins over an alias"
