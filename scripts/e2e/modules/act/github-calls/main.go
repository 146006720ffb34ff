// Command github-calls makes the requests of plugins/ci/github with a client of GitHub's API: github-calls URL TOKEN
//
// Whoever answers them as GitHub does can be asked by the action. They are about pull request 7 of acme/shop.
package main

import (
	"context"
	"fmt"
	"net/url"
	"os"

	"github.com/google/go-github/v75/github"
)

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func main() {
	const owner, repository, number = "acme", "shop", 7
	ctx := context.Background()
	client := github.NewClient(nil).WithAuthToken(os.Args[2])
	base, err := url.Parse(os.Args[1] + "/")
	check(err)
	client.BaseURL = base
	_, _, err = client.Users.Get(ctx, "")
	check(err)
	page := github.ListOptions{Page: 1, PerPage: 100}
	_, _, err = client.Issues.ListComments(ctx, owner, repository, number, &github.IssueListCommentsOptions{ListOptions: page})
	check(err)
	comment, _, err := client.Issues.CreateComment(ctx, owner, repository, number, &github.IssueComment{Body: github.Ptr("new")})
	check(err)
	_, _, err = client.Issues.EditComment(ctx, owner, repository, comment.GetID(), &github.IssueComment{Body: github.Ptr("changed")})
	check(err)
	_, _, err = client.Issues.AddLabelsToIssue(ctx, owner, repository, number, []string{"tailnet:public"})
	check(err)
	labels, _, err := client.Issues.ListLabelsByIssue(ctx, owner, repository, number, &page)
	check(err)
	fmt.Println(comment.GetURL(), labels[0].GetName())
	_, err = client.Issues.RemoveLabelForIssue(ctx, owner, repository, number, "tailnet:public")
	check(err)
	_, _, err = client.CodeScanning.UploadSarif(ctx, owner, repository, &github.SarifAnalysis{
		CommitSHA: github.Ptr("1f0c2b7d"), Ref: github.Ptr("refs/pull/7/merge"), Sarif: github.Ptr("")})
	if _, accepted := err.(*github.AcceptedError); !accepted {
		check(err)
	}
}
