// Package all is the table of instrumentations, in the order of the help text.
package all

import (
	"github.com/dupinst/dupinst/instrumentations"
	"github.com/dupinst/dupinst/instrumentations/allocation"
	"github.com/dupinst/dupinst/instrumentations/block"
	"github.com/dupinst/dupinst/instrumentations/calledge"
	"github.com/dupinst/dupinst/instrumentations/context"
	"github.com/dupinst/dupinst/instrumentations/fieldaccess"
	"github.com/dupinst/dupinst/instrumentations/interpath"
	"github.com/dupinst/dupinst/instrumentations/path"
	"github.com/dupinst/dupinst/instrumentations/reference"
	"github.com/dupinst/dupinst/instrumentations/trip"
	"github.com/dupinst/dupinst/instrumentations/value"
)

// Table lists every instrumentation that dupinst has.
func Table() []*instrumentations.Instrumentation {
	return []*instrumentations.Instrumentation{
		calledge.Instrumentation,
		fieldaccess.Instrumentation,
		block.Instrumentation,
		value.Instrumentation,
		context.Instrumentation,
		path.Instrumentation,
		interpath.Instrumentation,
		trip.Instrumentation,
		reference.Instrumentation,
		allocation.Instrumentation,
	}
}
