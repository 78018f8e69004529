// Package lines converts objects between a spoke and its hub, line by line.
package lines

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"

	"sigs.k8s.io/controller-runtime/pkg/conversion"
)

// Spoke is a version that converts itself.
type Spoke interface {
	ConvertTo(conversion.Hub) error
	ConvertFrom(conversion.Hub) error
}

type line struct {
	Kind, To string
	Object   json.RawMessage
}

// Convert answers the lines of standard input on standard output.
func Convert(types func(kind string) (Spoke, conversion.Hub), hubVersion string) {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<24)
	for in.Scan() {
		var given line
		if err := json.Unmarshal(in.Bytes(), &given); err != nil {
			panic(err)
		}
		spoke, hub := types(given.Kind)
		converted, err := convert(given, spoke, hub, given.To == hubVersion)
		if err != nil {
			converted = map[string]string{"error": err.Error()}
		}
		text, err := json.Marshal(converted)
		if err != nil {
			panic(err)
		}
		fmt.Println(string(text))
	}
	if err := in.Err(); err != nil {
		panic(err)
	}
}

func convert(given line, spoke Spoke, hub conversion.Hub, toHub bool) (any, error) {
	if toHub {
		if err := json.Unmarshal(given.Object, spoke); err != nil {
			return nil, err
		}
		return hub, spoke.ConvertTo(hub)
	}
	if err := json.Unmarshal(given.Object, hub); err != nil {
		return nil, err
	}
	return spoke, spoke.ConvertFrom(hub)
}
