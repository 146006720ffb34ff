// Command informer follows the ConfigMaps of a namespace as programs that use client-go do: informer SERVER CA-FILE NAMESPACE
//
// Each line on stdout is what its shared informer says: "synced" once, then "add", "update" or "delete" with the name and the data's "text".
package main

import (
	"context"
	"fmt"
	"os"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

func say(what string, object any) {
	if gone, ok := object.(cache.DeletedFinalStateUnknown); ok {
		object = gone.Obj
	}
	config := object.(*corev1.ConfigMap)
	fmt.Println(what, config.Name, config.Data["text"])
}

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: informer SERVER CA-FILE NAMESPACE")
		os.Exit(2)
	}
	kinds := runtime.NewScheme()
	if err := corev1.AddToScheme(kinds); err != nil {
		panic(err)
	}
	client, err := rest.RESTClientFor(&rest.Config{
		Host:            os.Args[1],
		APIPath:         "/api",
		TLSClientConfig: rest.TLSClientConfig{CAFile: os.Args[2]},
		ContentConfig: rest.ContentConfig{
			GroupVersion:         &corev1.SchemeGroupVersion,
			NegotiatedSerializer: serializer.NewCodecFactory(kinds).WithoutConversion(),
		},
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	informer := cache.NewSharedInformer(cache.NewListWatchFromClient(client, "configmaps", os.Args[3], fields.Everything()), &corev1.ConfigMap{}, 0)
	handler, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(object any) { say("add", object) },
		UpdateFunc: func(_, object any) { say("update", object) },
		DeleteFunc: func(object any) { say("delete", object) },
	})
	if err != nil {
		panic(err)
	}
	go informer.Run(context.Background().Done())
	if cache.WaitForCacheSync(context.Background().Done(), handler.HasSynced) {
		fmt.Println("synced")
	}
	select {}
}
