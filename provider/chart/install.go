package chart

import "github.com/pulumi/pulumi/sdk/v3/go/pulumi"

// An install lasts until an update has come to the end of the release once. If one fails halfway, and the chart is repaired, hooks of
// installs run that only the repaired chart has, hooks of upgrades do not, and what has succeeded does not run again.
//
// Only the last child knows that all others are there, and in the next run it is registered last again, when all has been decided. So
// it is the record, registered first, whose outputs are registered once more at the end of the install.

// finishInstall notes that the release is installed, or has moved, as soon as the last child is there. An update with --target leaves children out:
// then the ID of the last one is not known. A preview says that the memory will change, because a plan that is made of it allows what
// it has seen.
func (c *construction) finishInstall(last *child) error {
	if !c.memory.isInstalling(c.in.adopt) && !c.memory.Moving {
		return nil
	}
	if c.ctx.DryRun() {
		return c.rememberAtEnd(pulumi.UnsafeUnknownOutput(nil))
	}
	installed := c.memory
	installed.Installing, installed.Left, installed.Moving = false, nil, false
	text, err := installed.encode()
	if err != nil {
		return err
	}
	last.ID().ApplyT(func(pulumi.ID) error { return c.rememberAtEnd(pulumi.String(text)) })
	return nil
}

// rememberAtEnd registers the outputs of the record once more.
func (c *construction) rememberAtEnd(memory pulumi.Input) error {
	return c.ctx.RegisterResourceOutputs(c.record, pulumi.Map{
		keyVersion: c.record.Version, keyContent: c.record.Content, keyRotate: c.record.Rotate, keyMemory: pulumi.ToSecret(memory),
	})
}
