// Writes as controllers do, with their libraries: concurrent updates of one object, leader election with a lease,
// CreateOrUpdate, and typed applies.
//
//	go-writes -kubeconfig FILE
//
// prints the results as one line of JSON.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	applycorev1 "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
)

const (
	namespace = "default"
	writers   = 8
	rounds    = 20
)

type results struct {
	Counter         string   `json:"counter"`
	Conflicts       int64    `json:"conflicts"`
	Leaders         []string `json:"leaders"`
	AtOnce          int64    `json:"atOnce"`
	CreateOrUpdate  []string `json:"createOrUpdate"`
	Version         bool     `json:"sameVersion"`
	ApplyConflict   string   `json:"applyConflict"`
	AppliedManagers []string `json:"appliedManagers"`
}

func main() {
	path := flag.String("kubeconfig", "", "how to reach the server")
	flag.Parse()
	config, err := clientcmd.BuildConfigFromFlags("", *path)
	check(err)
	config.QPS, config.Burst = 1000, 1000
	set, err := kubernetes.NewForConfig(config)
	check(err)
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	defer cancel()
	out := results{}
	count(ctx, set, &out)
	elect(ctx, set, &out)
	wish, err := client.New(config, client.Options{})
	check(err)
	createOrUpdate(ctx, wish, &out)
	apply(ctx, set, &out)
	check(json.NewEncoder(os.Stdout).Encode(out))
}

// count increments one number concurrently; no increment may be lost.
func count(ctx context.Context, set kubernetes.Interface, out *results) {
	maps := set.CoreV1().ConfigMaps(namespace)
	made := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "counter"}, Data: map[string]string{"n": "0"}}
	_, err := maps.Create(ctx, made, metav1.CreateOptions{})
	check(err)
	backoff := retry.DefaultBackoff
	backoff.Steps = 100
	var group sync.WaitGroup
	for i := 0; i < writers; i++ {
		group.Add(1)
		go func() {
			defer group.Done()
			for j := 0; j < rounds; j++ {
				check(retry.RetryOnConflict(backoff, func() error {
					found, err := maps.Get(ctx, "counter", metav1.GetOptions{})
					if err != nil {
						return err
					}
					n, err := strconv.Atoi(found.Data["n"])
					check(err)
					found.Data["n"] = strconv.Itoa(n + 1)
					_, err = maps.Update(ctx, found, metav1.UpdateOptions{})
					if errors.IsConflict(err) {
						atomic.AddInt64(&out.Conflicts, 1)
					}
					return err
				}))
			}
		}()
	}
	group.Wait()
	found, err := maps.Get(ctx, "counter", metav1.GetOptions{})
	check(err)
	out.Counter = found.Data["n"]
}

// elect runs two candidates, which must lead one after the other, never at the same time.
func elect(ctx context.Context, set kubernetes.Interface, out *results) {
	var leading, most int64
	var lock sync.Mutex
	var group sync.WaitGroup
	for _, name := range []string{"a", "b"} {
		group.Add(1)
		go func() {
			defer group.Done()
			own, stop := context.WithCancel(ctx)
			defer stop()
			leaderelection.RunOrDie(own, leaderelection.LeaderElectionConfig{
				Lock: &resourcelock.LeaseLock{
					LeaseMeta:  metav1.ObjectMeta{Name: "leader", Namespace: namespace},
					Client:     set.CoordinationV1(),
					LockConfig: resourcelock.ResourceLockConfig{Identity: name},
				},
				LeaseDuration:   5 * time.Second,
				RenewDeadline:   3 * time.Second,
				RetryPeriod:     200 * time.Millisecond,
				ReleaseOnCancel: true,
				Callbacks: leaderelection.LeaderCallbacks{
					OnStartedLeading: func(context.Context) {
						now := atomic.AddInt64(&leading, 1)
						lock.Lock()
						out.Leaders = append(out.Leaders, name)
						most = max(most, now)
						lock.Unlock()
						time.Sleep(600 * time.Millisecond)
						atomic.AddInt64(&leading, -1)
						stop()
					},
					OnStoppedLeading: func() {},
				},
			})
		}()
	}
	group.Wait()
	out.AtOnce = most
}

// createOrUpdate must not write an object that already has the desired state.
func createOrUpdate(ctx context.Context, wish client.Client, out *results) {
	versions := []string{}
	for _, value := range []string{"1", "1", "2"} {
		object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "wished", Namespace: namespace}}
		result, err := controllerutil.CreateOrUpdate(ctx, wish, object, func() error {
			object.Data = map[string]string{"value": value}
			return nil
		})
		check(err)
		out.CreateOrUpdate = append(out.CreateOrUpdate, string(result))
		versions = append(versions, object.ResourceVersion)
	}
	out.Version = versions[0] == versions[1] && versions[1] != versions[2]
}

// apply uses the typed apply and reads its conflicts.
func apply(ctx context.Context, set kubernetes.Interface, out *results) {
	maps := set.CoreV1().ConfigMaps(namespace)
	by := func(manager string, value string, force bool) (*corev1.ConfigMap, error) {
		wanted := applycorev1.ConfigMap("applied", namespace).WithData(map[string]string{"value": value})
		return maps.Apply(ctx, wanted, metav1.ApplyOptions{FieldManager: manager, Force: force})
	}
	_, err := by("first", "1", false)
	check(err)
	_, err = by("second", "2", false)
	if errors.IsConflict(err) && len(err.(errors.APIStatus).Status().Details.Causes) == 1 {
		out.ApplyConflict = err.(errors.APIStatus).Status().Details.Causes[0].Field
	}
	found, err := by("second", "2", true)
	check(err)
	for _, entry := range found.ManagedFields {
		out.AppliedManagers = append(out.AppliedManagers, entry.Manager)
	}
	extracted, err := applycorev1.ExtractConfigMap(found, "second")
	check(err)
	if extracted.Data["value"] != "2" {
		check(fmt.Errorf("extracted %v", extracted.Data))
	}
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
