// Checks alerts and queries with Prometheus' own parser, and evaluates alerts over given series with its engine.
package main

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/promql/promqltest"
)

// question is read from standard input.
type question struct {
	// Rules is the content of a rule file.
	Rules   string   `json:"rules"`
	Queries []string `json:"queries"`
	Cases   []check  `json:"cases"`
}

// check is a query at a moment, over series in the notation of promqltest.
type check struct {
	Series string `json:"series"`
	Query  string `json:"query"`
	// Seconds after the first sample.
	At int64 `json:"at"`
}

// answer is written to standard output. Results has the labels of the series that each case returns.
type answer struct {
	Faults  []string              `json:"faults"`
	Results [][]map[string]string `json:"results"`
}

func main() {
	var asked question
	if err := json.NewDecoder(os.Stdin).Decode(&asked); err != nil {
		fail(err)
	}
	said := answer{Faults: faultsOf(asked), Results: [][]map[string]string{}}
	for _, each := range asked.Cases {
		series, err := evaluated(each)
		if err != nil {
			fail(fmt.Errorf("%s: %w", each.Query, err))
		}
		said.Results = append(said.Results, series)
	}
	if err := json.NewEncoder(os.Stdout).Encode(said); err != nil {
		fail(err)
	}
}

func faultsOf(asked question) []string {
	faults := []string{}
	promql := parser.NewParser(parser.Options{})
	_, errs := rulefmt.Parse([]byte(asked.Rules), false, model.UTF8Validation, promql, slog.New(slog.DiscardHandler))
	for _, err := range errs {
		faults = append(faults, err.Error())
	}
	for _, query := range asked.Queries {
		if _, err := promql.ParseExpr(query); err != nil {
			faults = append(faults, fmt.Sprintf("%s: %v", query, err))
		}
	}
	return faults
}

func evaluated(each check) ([]map[string]string, error) {
	loader, err := promqltest.NewLazyLoader(each.Series, promqltest.LazyLoaderOpts{EnableAtModifier: true, EnableNegativeOffset: true})
	if err != nil {
		return nil, err
	}
	defer loader.Close()
	at := time.Unix(each.At, 0).UTC()
	var loading error
	loader.WithSamplesTill(at, func(err error) { loading = err })
	if loading != nil {
		return nil, loading
	}
	query, err := loader.QueryEngine().NewInstantQuery(loader.Context(), loader.Queryable(), nil, each.Query, at)
	if err != nil {
		return nil, err
	}
	vector, err := query.Exec(loader.Context()).Vector()
	if err != nil {
		return nil, err
	}
	series := []map[string]string{}
	for _, sample := range vector {
		series = append(series, sample.Metric.Map())
	}
	return series, nil
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
