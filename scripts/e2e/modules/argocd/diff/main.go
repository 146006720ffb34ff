// Compares manifests with the objects of a cluster as Argo CD's application controller does, with its default settings:
//
//	argocd-diff MANIFESTS LIVE
//
// Both are JSON lists of the same objects in the same order. Prints each object that would be OutOfSync, as it is and as it would become.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/argoproj/argo-cd/v3/common"
	"github.com/argoproj/argo-cd/v3/util/argo/diff"
	"github.com/argoproj/argo-cd/v3/util/argo/normalizers"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func objects(path string) ([]*unstructured.Unstructured, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var list []*unstructured.Unstructured
	return list, json.Unmarshal(text, &list)
}

func compare(manifests, live []*unstructured.Unstructured) error {
	if len(manifests) != len(live) {
		return fmt.Errorf("%d manifests, %d live objects", len(manifests), len(live))
	}
	config, err := diff.NewDiffConfigBuilder().
		WithDiffSettings(nil, nil, false, normalizers.IgnoreNormalizerOpts{}).
		WithTracking(common.LabelKeyAppInstance, "annotation").
		WithNoCache().
		Build()
	if err != nil {
		return err
	}
	for i, manifest := range manifests {
		found, err := diff.StateDiff(context.Background(), live[i], manifest, config)
		if err != nil {
			return fmt.Errorf("%s/%s: %w", manifest.GetKind(), manifest.GetName(), err)
		}
		if found.Modified {
			fmt.Printf("%s/%s/%s\n  is      %s\n  becomes %s\n", manifest.GetKind(), manifest.GetNamespace(), manifest.GetName(),
				found.NormalizedLive, found.PredictedLive)
		}
	}
	return nil
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: argocd-diff MANIFESTS LIVE")
		os.Exit(2)
	}
	manifests, err := objects(os.Args[1])
	if err == nil {
		var live []*unstructured.Unstructured
		if live, err = objects(os.Args[2]); err == nil {
			err = compare(manifests, live)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "argocd-diff:", err)
		os.Exit(1)
	}
}
