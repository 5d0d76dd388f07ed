//! Reads and writes with the Rust client, and prints its results as one line of JSON.

use std::collections::BTreeMap;
use std::error::Error;

use futures::TryStreamExt;
use k8s_openapi::ByteString;
use k8s_openapi::api::apps::v1::ControllerRevision;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{DeleteParams, ListParams, Patch, PatchParams, PostParams, Preconditions, WatchEvent, WatchParams};
use kube::{Api, Client, ResourceExt};
use serde_json::json;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let name = std::env::args().nth(1).expect("a name");
    let client = Client::try_default().await?;
    let maps: Api<ConfigMap> = Api::namespaced(client.clone(), "default");
    let revisions: Api<ControllerRevision> = Api::namespaced(client, "default");
    let post = PostParams::default();

    let mut map = ConfigMap::default();
    map.metadata.name = Some(name.clone());
    map.data = Some(BTreeMap::from([("text".into(), "ä😀".into())]));
    map.binary_data = Some(BTreeMap::from([("bytes".into(), ByteString(vec![0, 1, 255]))]));
    let made = maps.create(&post, &map).await?;
    let read = maps.get(&name).await?;
    let mut changed = read.clone();
    changed.data.get_or_insert_default().insert("more".into(), "1".into());
    maps.replace(&name, &post, &changed).await?;
    let conflict = code_of(maps.replace(&name, &post, &made).await);
    let patch = Patch::Merge(json!({"data": {"patched": "2"}}));
    let patched = maps.patch(&name, &PatchParams::default(), &patch).await?;
    let preconditions = Preconditions { uid: made.uid(), resource_version: None };
    maps.delete(&name, &DeleteParams::default().preconditions(preconditions)).await?;
    let missing = code_of(maps.get(&name).await);

    let mut events: Vec<&str> = Vec::new();
    let params = WatchParams::default().fields(&format!("metadata.name={name}")).timeout(30);
    let stream = maps.watch(&params, &made.resource_version().expect("a version")).await?;
    futures::pin_mut!(stream);
    while events.len() < 3 {
        match stream.try_next().await? {
            Some(WatchEvent::Modified(_)) => events.push("MODIFIED"),
            Some(WatchEvent::Deleted(_)) => events.push("DELETED"),
            Some(WatchEvent::Added(_)) => events.push("ADDED"),
            Some(_) => {}
            None => break,
        }
    }

    let revision: ControllerRevision = serde_json::from_value(json!({
        "metadata": {"name": name}, "revision": i64::MAX, "data": {"number": 9_007_199_254_740_993_i64},
    }))?;
    revisions.create(&post, &revision).await?;
    let revision = revisions.get(&name).await?;

    let filled = ListParams::default().labels("fill=yes");
    let listed = maps.list(&filled).await?.items.len();
    let mut paged = 0;
    let mut token = String::new();
    loop {
        let page = filled.clone().limit(100);
        let page = maps.list(&if token.is_empty() { page } else { page.continue_token(&token) }).await?;
        paged += page.items.len();
        token = page.metadata.continue_.unwrap_or_default();
        if token.is_empty() {
            break;
        }
    }

    let bytes = read.binary_data.as_ref().and_then(|data| data.get("bytes")).expect("bytes");
    println!(
        "{}",
        json!({
            "text": read.data.as_ref().and_then(|data| data.get("text")),
            "bytes": serde_json::to_value(bytes)?,
            "patched": patched.data.as_ref().and_then(|data| data.get("patched")),
            "conflict": conflict == 409,
            "missing": missing == 404,
            "events": events,
            "revision": revision.revision.to_string(),
            "raw": serde_json::to_string(&revision.data)?,
            "listed": listed,
            "paged": paged,
            // the client requests gzip itself and hides the encoding of the answer
            "gzip": listed == paged,
        })
    );
    Ok(())
}

fn code_of<T>(result: Result<T, kube::Error>) -> u16 {
    match result {
        Err(kube::Error::Api(status)) => status.code,
        _ => 0,
    }
}
