// Serves the conversions of Shipwright's builds, with Shipwright's own handler.
package main

import (
	"net/http"

	"antechamber.dev/test/cluster/webhook-targets/serving"
	"github.com/shipwright-io/build/pkg/ctxlog"
	"github.com/shipwright-io/build/pkg/webhook/conversion"
)

func main() {
	options := serving.Flags()
	ctx := ctxlog.NewParentContext(ctxlog.NewLogger("shipwright"))
	serving.Run(options, http.HandlerFunc(conversion.CRDConvertHandler(ctx)))
}
