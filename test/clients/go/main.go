// Reads and writes with the typed client of client-go, and prints its results as one line of JSON. The first argument is
// the media type for requests and answers; without it, the client chooses one by its feature gates.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"sort"
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

type recorder struct {
	next  http.RoundTripper
	lock  sync.Mutex
	types map[string]bool
	gzip  bool
}

func (r *recorder) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := r.next.RoundTrip(request)
	r.lock.Lock()
	defer r.lock.Unlock()
	if request.Method == "POST" || request.Method == "PUT" {
		r.types["sent "+request.Header.Get("Content-Type")] = true
	}
	if err == nil {
		r.types["got "+response.Header.Get("Content-Type")] = true
		r.gzip = r.gzip || response.Uncompressed
	}
	return response, err
}

func check[T any](value T, err error) T {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return value
}

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	config := check(clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG")))
	name := os.Args[1]
	if len(os.Args) > 2 {
		config.ContentType = os.Args[2]
		config.AcceptContentTypes = os.Args[2]
	}
	record := &recorder{types: map[string]bool{}}
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		record.next = next
		return record
	})
	clients := check(kubernetes.NewForConfig(config))
	maps := clients.CoreV1().ConfigMaps("default")

	made := check(maps.Create(ctx, &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"by": "go"}},
		Data:       map[string]string{"text": "ä😀"},
		BinaryData: map[string][]byte{"bytes": {0, 1, 255}},
	}, metav1.CreateOptions{FieldValidation: "Strict"}))
	watch := check(maps.Watch(ctx, metav1.ListOptions{
		ResourceVersion: made.ResourceVersion,
		FieldSelector:   fields.OneTermEqualSelector("metadata.name", name).String(),
	}))
	read := check(maps.Get(ctx, name, metav1.GetOptions{}))
	read.Data["more"] = "1"
	check(maps.Update(ctx, read, metav1.UpdateOptions{}))
	_, stale := maps.Update(ctx, made, metav1.UpdateOptions{})
	patched := check(maps.Patch(ctx, name, types.StrategicMergePatchType, []byte(`{"data":{"patched":"2"}}`), metav1.PatchOptions{}))
	err := maps.Delete(ctx, name, metav1.DeleteOptions{Preconditions: metav1.NewUIDPreconditions(string(made.UID))})
	check(0, err)
	_, missing := maps.Get(ctx, name, metav1.GetOptions{})
	events := []string{}
	for len(events) < 3 {
		event, ok := <-watch.ResultChan()
		if !ok {
			break
		}
		events = append(events, string(event.Type))
	}
	watch.Stop()

	revisions := clients.AppsV1().ControllerRevisions("default")
	raw := runtime.RawExtension{Raw: []byte(`{"number":9007199254740993}`)}
	check(revisions.Create(ctx, &appsv1.ControllerRevision{
		ObjectMeta: metav1.ObjectMeta{Name: name}, Data: raw, Revision: 9223372036854775807,
	}, metav1.CreateOptions{}))
	revision := check(revisions.Get(ctx, name, metav1.GetOptions{}))

	all := check(maps.List(ctx, metav1.ListOptions{LabelSelector: "fill=yes"}))
	paged, token := 0, ""
	for {
		page := check(maps.List(ctx, metav1.ListOptions{LabelSelector: "fill=yes", Limit: 100, Continue: token}))
		paged += len(page.Items)
		if token = page.Continue; token == "" {
			break
		}
	}
	factory := informers.NewSharedInformerFactoryWithOptions(clients, 0, informers.WithNamespace("default"))
	lister := factory.Core().V1().ConfigMaps().Lister()
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	informed := 0
	for _, item := range check(lister.ConfigMaps("default").List(check(metav1.LabelSelectorAsSelector(&metav1.LabelSelector{MatchLabels: map[string]string{"fill": "yes"}})))) {
		if len(item.Data["text"]) > 0 {
			informed++
		}
	}

	record.lock.Lock()
	defer record.lock.Unlock()
	mediaTypes := []string{}
	for name := range record.types {
		mediaTypes = append(mediaTypes, name)
	}
	sort.Strings(mediaTypes)
	check(0, json.NewEncoder(os.Stdout).Encode(map[string]any{
		"text": read.Data["text"], "bytes": read.BinaryData["bytes"], "patched": patched.Data["patched"],
		"conflict": errors.IsConflict(stale), "missing": errors.IsNotFound(missing), "events": events,
		"revision": fmt.Sprint(revision.Revision), "raw": string(revision.Data.Raw),
		"listed": len(all.Items), "paged": paged, "informed": informed, "gzip": record.gzip, "mediaTypes": mediaTypes,
	}))
}
