"""Reads and writes with the Python client, and prints its results as one line of JSON."""

import base64
import json
import sys

from kubernetes import client, config, watch
from kubernetes.client.exceptions import ApiException

config.load_kube_config()
name = sys.argv[1]
core = client.CoreV1Api()
apps = client.AppsV1Api()


def code_of(call):
    try:
        call()
        return 200
    except ApiException as error:
        return error.status


metadata = client.V1ObjectMeta(name=name, labels={"by": "python"})
binary = {"bytes": base64.b64encode(bytes([0, 1, 255])).decode()}
made = core.create_namespaced_config_map(
    "default",
    client.V1ConfigMap(metadata=metadata, data={"text": "ä😀"}, binary_data=binary),
    field_validation="Strict",
)
read = core.read_namespaced_config_map(name, "default")
text = read.data["text"]
read.data["more"] = "1"
core.replace_namespaced_config_map(name, "default", read)
conflict = code_of(lambda: core.replace_namespaced_config_map(name, "default", made))
patched = core.patch_namespaced_config_map(name, "default", {"data": {"patched": "2"}})
core.delete_namespaced_config_map(
    name, "default", body=client.V1DeleteOptions(preconditions=client.V1Preconditions(uid=made.metadata.uid))
)
missing = code_of(lambda: core.read_namespaced_config_map(name, "default"))
events = []
stream = watch.Watch()
for event in stream.stream(
    core.list_namespaced_config_map,
    "default",
    field_selector=f"metadata.name={name}",
    resource_version=made.metadata.resource_version,
    timeout_seconds=30,
):
    events.append(event["type"])
    if len(events) == 3:
        stream.stop()

apps.create_namespaced_controller_revision(
    "default",
    client.V1ControllerRevision(
        metadata=client.V1ObjectMeta(name=name), data={"number": 9007199254740993}, revision=9223372036854775807
    ),
)
revision = apps.read_namespaced_controller_revision(name, "default")
listed = core.list_namespaced_config_map("default", label_selector="fill=yes")
paged, token = 0, None
while token != "":
    page = core.list_namespaced_config_map("default", label_selector="fill=yes", limit=100, _continue=token)
    paged += len(page.items)
    token = page.metadata._continue or ""

# the client does not request compression
api = core.api_client
url = api.configuration.host + "/api/v1/namespaces/default/configmaps?labelSelector=fill%3Dyes"
headers = {"Accept-Encoding": "gzip"}
api.update_params_for_auth(headers, [], ["BearerToken"], url, "GET", None)
answer = api.rest_client.pool_manager.request("GET", url, headers=headers)
gzip = answer.headers.get("Content-Encoding") == "gzip" and len(json.loads(answer.data)["items"]) == paged

print(
    json.dumps(
        {
            "text": text,
            "bytes": read.binary_data["bytes"],
            "patched": patched.data["patched"],
            "conflict": conflict == 409,
            "missing": missing == 404,
            "events": events,
            "revision": str(revision.revision),
            "raw": json.dumps(revision.data, separators=(",", ":")),
            "listed": len(listed.items),
            "paged": paged,
            "gzip": gzip,
        }
    )
)
