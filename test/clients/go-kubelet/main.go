// A node that only serves streams: the streaming code of kubelets, for processes and ports of this machine.
//
//	go-kubelet -cert FILE -key FILE
//
// prints its port and exits when its standard input closes.
package main

import (
	"context"
	"crypto/tls"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/types"
	constants "k8s.io/apimachinery/pkg/util/remotecommand"
	"k8s.io/client-go/tools/remotecommand"
	"k8s.io/kubelet/pkg/cri/streaming/portforward"
	server "k8s.io/kubelet/pkg/cri/streaming/remotecommand"
	utilexec "k8s.io/utils/exec"
)

const (
	idle     = 10 * time.Minute
	creation = time.Minute
)

func main() {
	cert := flag.String("cert", "", "serving certificate")
	key := flag.String("key", "", "its key")
	flag.Parse()
	pair, err := tls.LoadX509KeyPair(*cert, *key)
	check(err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	check(err)
	fmt.Println(listener.Addr().(*net.TCPAddr).Port)
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	// SPDY takes over the whole connection, which HTTP/2 does not allow
	config := &tls.Config{Certificates: []tls.Certificate{pair}, NextProtos: []string{"http/1.1"}}
	check(http.Serve(tls.NewListener(listener, config), http.HandlerFunc(serve)))
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// serve handles the paths of kubelets: /exec/NAMESPACE/POD/CONTAINER, /attach/..., /portForward/NAMESPACE/POD.
func serve(w http.ResponseWriter, r *http.Request) {
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	if parts[0] == "portForward" && len(parts) == 3 {
		options, err := portforward.NewV4Options(r)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		portforward.ServePortForward(w, r, node{}, parts[2], "", options, idle, creation, portforward.SupportedProtocols)
		return
	}
	if len(parts) != 4 {
		http.NotFound(w, r)
		return
	}
	options, err := server.NewOptions(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	pod, container := parts[2], parts[3]
	switch parts[0] {
	case "exec":
		command := r.URL.Query()["command"]
		server.ServeExec(w, r, node{}, pod, "", container, command, options, idle, creation, constants.SupportedStreamingProtocols)
	case "attach":
		server.ServeAttach(w, r, node{}, pod, "", container, options, idle, creation, constants.SupportedStreamingProtocols)
	default:
		http.NotFound(w, r)
	}
}

type node struct{}

// ExecInContainer runs the command on this machine. With a terminal it first prints the terminal's size.
func (node) ExecInContainer(ctx context.Context, _ string, _ types.UID, _ string, cmd []string, in io.Reader, out, errors io.WriteCloser, tty bool, resize <-chan remotecommand.TerminalSize, _ time.Duration) error {
	if tty {
		if size, given := <-resize; given {
			fmt.Fprintf(out, "%dx%d\r\n", size.Width, size.Height)
		}
	}
	command := exec.CommandContext(ctx, cmd[0], cmd[1:]...)
	command.Stdout, command.Stderr = out, errors
	if errors == nil {
		command.Stderr = out
	}
	if in != nil {
		// not as Stdin: Wait would wait until the client closes its input, which may never happen
		pipe, err := command.StdinPipe()
		if err != nil {
			return err
		}
		go func() {
			_, _ = io.Copy(pipe, in)
			_ = pipe.Close()
		}()
	}
	err := command.Run()
	if exit, ended := err.(*exec.ExitError); ended {
		return &utilexec.ExitErrorWrapper{ExitError: exit}
	}
	return err
}

// AttachContainer echoes its input.
func (node) AttachContainer(_ context.Context, _ string, _ types.UID, _ string, in io.Reader, out, _ io.WriteCloser, _ bool, _ <-chan remotecommand.TerminalSize) error {
	fmt.Fprintln(out, "attached")
	if in == nil {
		return nil
	}
	_, err := io.Copy(out, in)
	return err
}

// PortForward connects to the port on this machine.
func (node) PortForward(_ context.Context, _ string, _ types.UID, port int32, stream io.ReadWriteCloser) error {
	connection, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return err
	}
	defer connection.Close()
	done := make(chan struct{})
	go func() {
		_, _ = io.Copy(connection, stream)
		_ = connection.(*net.TCPConn).CloseWrite()
	}()
	go func() {
		_, _ = io.Copy(stream, connection)
		close(done)
	}()
	<-done
	return nil
}
