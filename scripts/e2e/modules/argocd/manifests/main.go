// Prints what Argo CD makes of the Applications of a repository on this disk, as its repo server does it:
//
//	argocd-manifests REPOSITORY APPLICATION_FILE…
//
// One JSON list per source of each Application: the objects, with the destination's namespace where they say none, as the controller
// gives it to them.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
	"github.com/argoproj/argo-cd/v3/reposerver/apiclient"
	"github.com/argoproj/argo-cd/v3/reposerver/repository"
	"github.com/argoproj/argo-cd/v3/util/git"
	"k8s.io/apimachinery/pkg/api/resource"
	"sigs.k8s.io/yaml"
)

func manifests(root string, application *v1alpha1.Application) ([]json.RawMessage, error) {
	source := application.Spec.GetSource()
	answer, err := repository.GenerateManifests(context.Background(), filepath.Join(root, source.Path), root, "", &apiclient.ManifestRequest{
		Repo:               &v1alpha1.Repository{Repo: source.RepoURL},
		AppName:            application.Name,
		Namespace:          application.Spec.Destination.Namespace,
		ApplicationSource:  &source,
		AppLabelKey:        "app.kubernetes.io/instance",
		TrackingMethod:     "annotation",
		KubeVersion:        "1.35.0",
		ProjectName:        application.Spec.Project,
		ProjectSourceRepos: []string{"*"},
	}, true, &git.NoopCredsStore{}, resource.MustParse("0"), nil)
	if err != nil {
		return nil, err
	}
	objects := []json.RawMessage{}
	for _, text := range answer.Manifests {
		objects = append(objects, json.RawMessage(text))
	}
	return objects, nil
}

func run(args []string) error {
	if len(args) < 2 {
		return errors.New("usage: argocd-manifests REPOSITORY APPLICATION_FILE…")
	}
	root, err := filepath.Abs(args[0])
	if err != nil {
		return err
	}
	for _, file := range args[1:] {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		var application v1alpha1.Application
		if err = yaml.UnmarshalStrict(text, &application); err != nil {
			return err
		}
		objects, err := manifests(root, &application)
		if err != nil {
			return err
		}
		if err = json.NewEncoder(os.Stdout).Encode(objects); err != nil {
			return err
		}
	}
	return nil
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
