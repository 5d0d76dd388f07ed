// A typical operator with controller-runtime: it writes greetings to ConfigMaps, and prints its results.
package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/clientcmd"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/yaml"

	"tidegate/client/api"
)

//go:embed crds/hello.example.com_greetings.yaml
var definition []byte

const (
	namespace = "operated"
	finalizer = "hello.example.com/farewell"
)

type reconciler struct {
	client.Client
	farewells chan string
}

func (r *reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	var greeting api.Greeting
	if err := r.Get(ctx, request.NamespacedName, &greeting); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !greeting.DeletionTimestamp.IsZero() {
		if controllerutil.RemoveFinalizer(&greeting, finalizer) {
			if err := r.Update(ctx, &greeting); err != nil {
				return ctrl.Result{}, err
			}
			r.farewells <- greeting.Name
		}
		return ctrl.Result{}, nil
	}
	if controllerutil.AddFinalizer(&greeting, finalizer) {
		return ctrl.Result{}, r.Update(ctx, &greeting)
	}
	said := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: greeting.Name, Namespace: greeting.Namespace}}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, said, func() error {
		said.Data = map[string]string{"said": strings.Repeat(greeting.Spec.Text, int(greeting.Spec.Times))}
		return controllerutil.SetControllerReference(&greeting, said, r.Scheme())
	})
	if err != nil {
		return ctrl.Result{}, err
	}
	before := greeting.DeepCopy()
	greeting.Status.ObservedGeneration = greeting.Generation
	greeting.Status.Times = greeting.Spec.Times
	meta.SetStatusCondition(&greeting.Status.Conditions, metav1.Condition{
		Type: "Ready", Status: metav1.ConditionTrue, Reason: "Said", ObservedGeneration: greeting.Generation,
	})
	return ctrl.Result{}, r.Status().Patch(ctx, &greeting, client.MergeFrom(before))
}

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Second)
	defer cancel()
	met, err := operate(ctx, os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	_ = json.NewEncoder(os.Stdout).Encode(met)
}

func operate(ctx context.Context, kubeconfig string) (map[string]any, error) {
	log.SetLogger(zap.New(zap.WriteTo(os.Stderr)))
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, err
	}
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, apiextensions.AddToScheme, api.AddToScheme} {
		if err := add(scheme); err != nil {
			return nil, err
		}
	}
	direct, err := client.New(config, client.Options{Scheme: scheme})
	if err != nil {
		return nil, err
	}
	if err := define(ctx, direct); err != nil {
		return nil, fmt.Errorf("the definition: %w", err)
	}
	manager, err := ctrl.NewManager(config, ctrl.Options{
		Scheme: scheme, Metrics: server.Options{BindAddress: "0"},
		LeaderElection: true, LeaderElectionID: "greetings", LeaderElectionNamespace: namespace,
		LeaderElectionReleaseOnCancel: true,
	})
	if err != nil {
		return nil, err
	}
	farewells := make(chan string, 10)
	greeter := &reconciler{manager.GetClient(), farewells}
	builder := ctrl.NewControllerManagedBy(manager).For(&api.Greeting{}).Owns(&corev1.ConfigMap{})
	if err := builder.Complete(greeter); err != nil {
		return nil, err
	}
	running, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- manager.Start(running) }()
	met, err := use(ctx, direct, farewells)
	stop()
	return met, errors.Join(err, <-ended)
}

func define(ctx context.Context, c client.Client) error {
	space := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}
	if err := c.Create(ctx, space); err != nil {
		return err
	}
	var crd apiextensions.CustomResourceDefinition
	if err := yaml.UnmarshalStrict(definition, &crd); err != nil {
		return err
	}
	if err := c.Create(ctx, &crd); err != nil {
		return err
	}
	return eventually(ctx, func() (bool, error) {
		if err := c.Get(ctx, client.ObjectKeyFromObject(&crd), &crd); err != nil {
			return false, err
		}
		for _, condition := range crd.Status.Conditions {
			if condition.Type == apiextensions.Established && condition.Status == apiextensions.ConditionTrue {
				return true, nil
			}
		}
		return false, nil
	})
}

// use creates, scales, changes and deletes greetings as a user does, and returns the results.
func use(ctx context.Context, c client.Client, farewells <-chan string) (map[string]any, error) {
	met := map[string]any{}
	greeting := &api.Greeting{
		ObjectMeta: metav1.ObjectMeta{Name: "one", Namespace: namespace},
		Spec:       api.GreetingSpec{Text: "hello", Guests: []api.Guest{{Name: "a", Title: "Dr"}}},
	}
	if err := c.Create(ctx, greeting); err != nil {
		return nil, err
	}
	met["defaulted"] = greeting.Spec.Times
	key := client.ObjectKeyFromObject(greeting)
	ready := func(times int32) error {
		return eventually(ctx, func() (bool, error) {
			if err := c.Get(ctx, key, greeting); err != nil {
				return false, err
			}
			isReady := meta.IsStatusConditionTrue(greeting.Status.Conditions, "Ready")
			return isReady && greeting.Status.ObservedGeneration == greeting.Generation && greeting.Status.Times == times, nil
		})
	}
	if err := ready(1); err != nil {
		return nil, fmt.Errorf("the first time: %w", err)
	}
	scale := map[string]any{"spec": map[string]any{"replicas": 3}}
	patch, _ := json.Marshal(scale)
	if err := c.SubResource("scale").Patch(ctx, greeting, client.RawPatch("application/merge-patch+json", patch)); err != nil {
		return nil, fmt.Errorf("scale: %w", err)
	}
	if err := ready(3); err != nil {
		return nil, fmt.Errorf("when it is scaled: %w", err)
	}
	var said corev1.ConfigMap
	err := eventually(ctx, func() (bool, error) {
		err := c.Get(ctx, key, &said)
		return said.Data["said"] == "hellohellohello", err
	})
	if err != nil {
		return nil, err
	}
	met["said"], met["owner"] = said.Data["said"], said.OwnerReferences[0].Kind
	wrong := greeting.DeepCopy()
	wrong.Spec.Text, wrong.Spec.Times = "a long greeting", 4
	met["refused"] = messageOf(c.Update(ctx, wrong))
	wrong.Spec = api.GreetingSpec{Text: "x", Guests: []api.Guest{{Name: "a"}, {Name: "a"}, {Name: "b", Title: "Sir"}}}
	met["refusedToo"] = messageOf(c.Update(ctx, wrong))
	var selected api.GreetingList
	if err := c.List(ctx, &selected, client.MatchingFields{"spec.text": "hello"}); err != nil {
		return nil, err
	}
	met["selected"] = len(selected.Items)
	if err := c.Delete(ctx, greeting); err != nil {
		return nil, err
	}
	select {
	case met["farewell"] = <-farewells:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return met, eventually(ctx, func() (bool, error) {
		err := c.Get(ctx, key, &said)
		return apierrors.IsNotFound(err), client.IgnoreNotFound(err)
	})
}

func messageOf(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func eventually(ctx context.Context, check func() (bool, error)) error {
	return wait.PollUntilContextTimeout(ctx, 50*time.Millisecond, 30*time.Second, true, func(context.Context) (bool, error) {
		done, err := check()
		if apierrors.IsNotFound(err) {
			return false, nil
		}
		return done, err
	})
}
