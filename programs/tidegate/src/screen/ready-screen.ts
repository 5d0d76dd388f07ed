interface Facts {
  readonly version: string;
  readonly server: string;
  readonly kubeconfig: string;
  readonly dataDir: string;
  readonly ephemeral: boolean;
  readonly logs: string;
  readonly postgres: string;
  readonly nats: string;
  readonly board: string;
  readonly seconds: string;
}

/** The last screen of a start: where the system is, which commands to type, and how to stop it. */
export function readyScreen(facts: Facts): string {
  return `
tidegate ${facts.version} is ready at ${facts.server} (${facts.seconds} s)

  export KUBECONFIG=${quoteForShell(facts.kubeconfig)}

  kubectl get namespaces
  kubectl create configmap hello --from-literal=greeting=hi
  kubectl get configmaps -w

  data    ${facts.dataDir}${facts.ephemeral ? ' (removed at the end)' : ''}
  logs    ${facts.logs}
  store   ${facts.postgres}
  bus     ${facts.nats}
  board   ${facts.board}

Ctrl-C stops everything${facts.ephemeral ? '' : '; the next start finds the data'}.`;
}

function quoteForShell(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
