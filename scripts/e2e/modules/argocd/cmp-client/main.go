// Asks a config management plug-in server what Argo CD's repo server asks it, over the same gRPC client:
//
//	argocd-cmp-client SOCKET match|parameters|generate REPOSITORY APPLICATION_DIR [PLUGIN_JSON]
//
// PLUGIN_JSON is `spec.source.plugin` of an Application; ARGOCD_APP_* of this process are handed on as the application's. Prints
// true or false, the announcements as JSON, or the manifests as a JSON list of texts.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/argoproj/argo-cd/v3/cmpserver/apiclient"
	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
	"github.com/argoproj/argo-cd/v3/util/cmp"
)

// environment does what the repo server's getPluginEnvs and getPluginParamEnvs do.
func environment(pluginJSON string) ([]string, error) {
	var plugin v1alpha1.ApplicationSourcePlugin
	if err := json.Unmarshal([]byte(pluginJSON), &plugin); err != nil {
		return nil, err
	}
	var env []string
	for _, entry := range os.Environ() {
		if strings.HasPrefix(entry, "ARGOCD_APP_") {
			env = append(env, entry)
		}
	}
	for _, entry := range plugin.Env {
		env = append(env, "ARGOCD_ENV_"+entry.Name+"="+entry.Value)
	}
	parameters, err := plugin.Parameters.Environ()
	return append(env, parameters...), err
}

func ask(ctx context.Context, client apiclient.ConfigManagementPluginServiceClient, what, repository, directory string,
	env []string,
) (any, error) {
	switch what {
	case "match":
		stream, err := client.MatchRepository(ctx)
		if err != nil {
			return nil, err
		}
		if err = cmp.SendRepoStream(ctx, directory, repository, stream, env, nil); err != nil {
			return nil, err
		}
		answer, err := stream.CloseAndRecv()
		return answer.GetIsSupported(), err
	case "parameters":
		stream, err := client.GetParametersAnnouncement(ctx)
		if err != nil {
			return nil, err
		}
		if err = cmp.SendRepoStream(ctx, directory, repository, stream, env, nil); err != nil {
			return nil, err
		}
		answer, err := stream.CloseAndRecv()
		return answer.GetParameterAnnouncements(), err
	case "generate":
		stream, err := client.GenerateManifest(ctx)
		if err != nil {
			return nil, err
		}
		if err = cmp.SendRepoStream(ctx, directory, repository, stream, env, nil); err != nil {
			return nil, err
		}
		answer, err := stream.CloseAndRecv()
		return answer.GetManifests(), err
	}
	return nil, fmt.Errorf("unknown question %q", what)
}

func run(args []string) error {
	if len(args) < 4 {
		return fmt.Errorf("usage: argocd-cmp-client SOCKET match|parameters|generate REPOSITORY APPLICATION_DIR [PLUGIN_JSON]")
	}
	plugin := "{}"
	if len(args) > 4 {
		plugin = args[4]
	}
	env, err := environment(plugin)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	connection, client, err := apiclient.NewConfigManagementPluginClientSet(args[0]).NewConfigManagementPluginClient()
	if err != nil {
		return err
	}
	defer connection.Close()
	answer, err := ask(ctx, client, args[1], args[2], args[3], env)
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(answer)
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
