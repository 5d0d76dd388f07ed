//! A typical operator with kube-rs: it counts the words of documents, and prints its results as one line of JSON.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use k8s_openapi::api::core::v1::{ConfigMap, Namespace};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{DeleteParams, Patch, PatchParams, PostParams};
use kube::runtime::controller::{Action, Controller};
use kube::runtime::finalizer::{Event, finalizer};
use kube::runtime::wait::{await_condition, conditions};
use kube::runtime::watcher;
use kube::{Api, Client, CustomResource, CustomResourceExt, Resource, ResourceExt};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

const NAMESPACE: &str = "counted";
const MANAGER: &str = "counter";

#[derive(CustomResource, Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[kube(
    group = "paper.example.com",
    version = "v1",
    kind = "Document",
    namespaced,
    status = "DocumentStatus",
    shortname = "doc",
    printcolumn = r#"{"name":"Words","type":"integer","jsonPath":".status.words"}"#
)]
#[serde(rename_all = "camelCase")]
struct DocumentSpec {
    text: String,
    /// how it is to be read
    #[serde(default)]
    mood: Mood,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    longest: Option<u32>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
enum Mood {
    #[default]
    Plain,
    Solemn,
}

#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct DocumentStatus {
    words: usize,
    observed_generation: i64,
}

type Failure = Box<dyn Error + Send + Sync>;

#[derive(Debug)]
struct Trouble(String);

impl std::fmt::Display for Trouble {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for Trouble {}

impl From<kube::Error> for Trouble {
    fn from(error: kube::Error) -> Self {
        Trouble(error.to_string())
    }
}

/// Counts the words of a document, and stores the count in its status and in a ConfigMap.
async fn reconcile(document: Arc<Document>, client: Arc<Client>) -> Result<Action, Trouble> {
    let documents: Api<Document> = Api::namespaced((*client).clone(), NAMESPACE);
    finalizer(&documents, "paper.example.com/shredder", document, |event| async {
        match event {
            Event::Apply(document) => count(&client, &documents, &document).await,
            Event::Cleanup(_) => Ok(Action::await_change()),
        }
    })
    .await
    .map_err(|error| Trouble(error.to_string()))
}

async fn count(client: &Client, documents: &Api<Document>, document: &Document) -> Result<Action, Trouble> {
    let maps: Api<ConfigMap> = Api::namespaced(client.clone(), NAMESPACE);
    let words = document.spec.text.split_whitespace().count();
    let name = document.name_any();
    let apply = PatchParams::apply(MANAGER).force();
    let map = json!({
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": name, "ownerReferences": [document.controller_owner_ref(&()).expect("it has a uid")]},
        "data": {"words": words.to_string()},
    });
    maps.patch(&name, &apply, &Patch::Apply(map)).await?;
    let status = json!({
        "apiVersion": Document::api_version(&()),
        "kind": Document::kind(&()),
        "status": DocumentStatus { words, observed_generation: document.metadata.generation.unwrap_or_default() },
    });
    documents.patch_status(&name, &apply, &Patch::Apply(status)).await?;
    Ok(Action::await_change())
}

fn again(_: Arc<Document>, trouble: &Trouble, _: Arc<Client>) -> Action {
    eprintln!("{trouble}");
    Action::requeue(Duration::from_millis(200))
}

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let client = Client::try_default().await?;
    define(&client).await?;
    let documents: Api<Document> = Api::namespaced(client.clone(), NAMESPACE);
    let maps: Api<ConfigMap> = Api::namespaced(client.clone(), NAMESPACE);
    let controller = Controller::new(documents.clone(), watcher::Config::default().streaming_lists())
        .owns(maps.clone(), watcher::Config::default())
        .run(reconcile, again, Arc::new(client.clone()))
        .for_each(|_| async {});
    let running = tokio::spawn(controller);
    let met = tokio::time::timeout(Duration::from_secs(60), use_them(&documents, &maps)).await??;
    running.abort();
    println!("{met}");
    Ok(())
}

async fn define(client: &Client) -> Result<(), Failure> {
    let namespaces: Api<Namespace> = Api::all(client.clone());
    let namespace = serde_json::from_value(json!({"metadata": {"name": NAMESPACE}}))?;
    namespaces.create(&PostParams::default(), &namespace).await?;
    let definitions: Api<CustomResourceDefinition> = Api::all(client.clone());
    let definition = Document::crd();
    let name = definition.name_any();
    definitions.patch(&name, &PatchParams::apply(MANAGER), &Patch::Apply(&definition)).await?;
    await_condition(definitions, &name, conditions::is_crd_established()).await?;
    Ok(())
}

async fn use_them(documents: &Api<Document>, maps: &Api<ConfigMap>) -> Result<serde_json::Value, Failure> {
    let spec = DocumentSpec { text: "to be counted".into(), mood: Mood::Plain, longest: None };
    let made = documents.create(&PostParams::default(), &Document::new("one", spec)).await?;
    let counted = |words: usize| {
        move |document: Option<&Document>| {
            let status = document.and_then(|document| document.status.as_ref());
            status.is_some_and(|status| status.words == words)
        }
    };
    await_condition(documents.clone(), "one", counted(3)).await?;
    let patch = json!({"spec": {"text": "to be counted once more"}});
    documents.patch("one", &PatchParams::default(), &Patch::Merge(patch)).await?;
    await_condition(documents.clone(), "one", counted(5)).await?;
    let read = documents.get("one").await?;
    let map = maps.get("one").await?;
    let owner = map.owner_references().first().map(|owner| owner.kind.clone());
    let wrong = json!({"spec": {"mood": "Merry"}});
    let refused = documents.patch("one", &PatchParams::default(), &Patch::Merge(wrong)).await;
    documents.delete("one", &DeleteParams::default()).await?;
    let uid = made.uid().expect("it has a uid");
    await_condition(documents.clone(), "one", conditions::is_deleted(&uid)).await?;
    let map_uid = map.uid().expect("it has a uid");
    await_condition(maps.clone(), "one", conditions::is_deleted(&map_uid)).await?;
    Ok(json!({
        "generation": read.metadata.generation,
        "mood": read.spec.mood,
        "words": map.data.unwrap_or_default().get("words"),
        "owner": owner,
        "refused": refused.err().map(|error| match error {
            kube::Error::Api(status) => status.message,
            other => other.to_string(),
        }),
    }))
}
