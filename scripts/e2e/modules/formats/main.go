// Command formats judges documents by the schemas of those who read them.
//
//	formats schema SCHEMA FILE    by a JSON Schema
//	formats sarif FILE            by a reader of SARIF 2.1.0, which has to know every key
//	formats oci MEDIATYPE FILE    by the schemas of OCI's image specification
//
// It ends with 1 and a line for each fault where there are any.
package main

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/opencontainers/image-spec/schema"
	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
	"github.com/xeipuuv/gojsonschema"
)

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// The keys of have, at any depth, that known lacks.
func unknown(have, known any, at string) []string {
	var found []string
	switch have := have.(type) {
	case map[string]any:
		others, _ := known.(map[string]any)
		for key, value := range have {
			other, exists := others[key]
			if !exists {
				found = append(found, at+"/"+key)
				continue
			}
			found = append(found, unknown(value, other, at+"/"+key)...)
		}
	case []any:
		others, _ := known.([]any)
		for i, value := range have {
			if i >= len(others) {
				return append(found, fmt.Sprintf("%s/%d", at, i))
			}
			found = append(found, unknown(value, others[i], fmt.Sprintf("%s/%d", at, i))...)
		}
	}
	return found
}

func judgeSarif(path string) []string {
	report, err := sarif.Open(path, sarif.WithStrictValidation())
	check(err)
	var faults []string
	var have, known any
	text, err := os.ReadFile(path)
	check(err)
	check(json.Unmarshal(text, &have))
	text, err = json.Marshal(report)
	check(err)
	check(json.Unmarshal(text, &known))
	for _, key := range unknown(have, known, "") {
		faults = append(faults, "not of SARIF: "+key)
	}
	return faults
}

func judgeOci(mediaType, path string) []string {
	file, err := os.Open(path)
	check(err)
	defer file.Close()
	if err := schema.Validator(mediaType).Validate(file); err != nil {
		return []string{err.Error()}
	}
	return nil
}

func judgeSchema(rulesPath, path string) []string {
	rules, err := os.ReadFile(rulesPath)
	check(err)
	text, err := os.ReadFile(path)
	check(err)
	result, err := gojsonschema.Validate(gojsonschema.NewBytesLoader(rules), gojsonschema.NewBytesLoader(text))
	check(err)
	var faults []string
	for _, fault := range result.Errors() {
		faults = append(faults, fault.String())
	}
	return faults
}

func main() {
	var faults []string
	switch {
	case len(os.Args) == 3 && os.Args[1] == "sarif":
		faults = judgeSarif(os.Args[2])
	case len(os.Args) == 4 && os.Args[1] == "schema":
		faults = judgeSchema(os.Args[2], os.Args[3])
	case len(os.Args) == 4 && os.Args[1] == "oci":
		faults = judgeOci(os.Args[2], os.Args[3])
	default:
		fmt.Fprintln(os.Stderr, "usage: formats sarif FILE | formats schema SCHEMA FILE | formats oci MEDIATYPE FILE")
		os.Exit(2)
	}
	for _, fault := range faults {
		fmt.Fprintln(os.Stderr, fault)
	}
	if len(faults) > 0 {
		os.Exit(1)
	}
}
