// Argo CD's config management plug-in server. Its own main package also holds every other Argo CD program, and one of their
// dependencies is not to be had.
package main

import (
	"os"

	"github.com/argoproj/argo-cd/v3/cmd/argocd-cmp-server/commands"
)

func main() {
	if err := commands.NewCommand().Execute(); err != nil {
		os.Exit(1)
	}
}
