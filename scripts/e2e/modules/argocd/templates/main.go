// Fills in templates of ApplicationSets as Argo CD's controller does it:
//
//	argocd-templates <LINES
//
// A line is {"template": TEXT, "data": MAP, "strict": BOOL, "typed": BOOL}, and the answer to it {"result": BASE64} or {"error": TEXT}.
// "strict" is missingkey=error. "typed": some parameters have the types of Go that generators give them, instead of those of JSON.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"

	"github.com/argoproj/argo-cd/v3/applicationset/utils"
)

type line struct {
	Template string         `json:"template"`
	Data     map[string]any `json:"data"`
	Strict   bool           `json:"strict"`
	Typed    bool           `json:"typed"`
}

type answer struct {
	Result *[]byte `json:"result,omitempty"`
	Error  string  `json:"error,omitempty"`
}

// texts is a map of texts as such, where the generators of clusters and of git make one.
func texts(within map[string]any, key string) {
	found, ok := within[key].(map[string]any)
	if !ok {
		return
	}
	typed := map[string]string{}
	for name, value := range found {
		text, ok := value.(string)
		if !ok {
			return
		}
		typed[name] = text
	}
	within[key] = typed
}

func typeParameters(data map[string]any) {
	texts(data, "values")
	if metadata, ok := data["metadata"].(map[string]any); ok {
		texts(metadata, "labels")
		texts(metadata, "annotations")
	}
	if path, ok := data["path"].(map[string]any); ok {
		if segments, ok := path["segments"].([]any); ok {
			typed := []string{}
			for _, segment := range segments {
				text, ok := segment.(string)
				if !ok {
					return
				}
				typed = append(typed, text)
			}
			path["segments"] = typed
		}
	}
	if clusters, ok := data["clusters"].([]any); ok {
		typed := []map[string]any{}
		for _, cluster := range clusters {
			one, ok := cluster.(map[string]any)
			if !ok {
				return
			}
			typeParameters(one)
			typed = append(typed, one)
		}
		data["clusters"] = typed
	}
}

func fill(text []byte) (answer, error) {
	var one line
	if err := json.Unmarshal(text, &one); err != nil {
		return answer{}, err
	}
	if one.Typed {
		typeParameters(one.Data)
	}
	var options []string
	if one.Strict {
		options = []string{"missingkey=error"}
	}
	result, err := (&utils.Render{}).Replace(one.Template, one.Data, true, options)
	if err != nil {
		return answer{Error: err.Error()}, nil
	}
	bytes := []byte(result)
	return answer{Result: &bytes}, nil
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<26)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for lines.Scan() {
		one, err := fill(lines.Bytes())
		if err == nil {
			err = json.NewEncoder(out).Encode(one)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "argocd-templates:", err)
			os.Exit(1)
		}
	}
}
