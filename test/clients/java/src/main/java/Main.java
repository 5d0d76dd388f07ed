import io.kubernetes.client.custom.V1Patch;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.AppsV1Api;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ControllerRevision;
import io.kubernetes.client.openapi.models.V1DeleteOptions;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Preconditions;
import io.kubernetes.client.util.Config;
import io.kubernetes.client.util.PatchUtils;
import io.kubernetes.client.util.Watch;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import okhttp3.Interceptor;
import okhttp3.Response;

/** Reads and writes with the Java client, and prints its results as one line of JSON. */
public class Main {
  private static final String NAMESPACE = "default";
  private static boolean gzip = false;

  interface Call {
    Object run() throws ApiException;
  }

  public static void main(String[] args) throws Exception {
    String name = args[0];
    ApiClient client = Config.defaultClient();
    // the library decompresses answers itself, so the network response is checked for gzip
    Interceptor look = chain -> {
      Response response = chain.proceed(chain.request());
      gzip = gzip || "gzip".equals(response.header("Content-Encoding"));
      return response;
    };
    client.setHttpClient(client.getHttpClient().newBuilder().addNetworkInterceptor(look).build());
    CoreV1Api core = new CoreV1Api(client);
    AppsV1Api apps = new AppsV1Api(client);

    V1ConfigMap body = new V1ConfigMap().metadata(new V1ObjectMeta().name(name))
        .putDataItem("text", "ä😀").putBinaryDataItem("bytes", new byte[] {0, 1, (byte) 255});
    V1ConfigMap made = core.createNamespacedConfigMap(NAMESPACE, body).fieldValidation("Strict").execute();
    V1ConfigMap read = core.readNamespacedConfigMap(name, NAMESPACE).execute();
    String text = read.getData().get("text");
    byte[] bytes = read.getBinaryData().get("bytes");
    read.putDataItem("more", "1");
    core.replaceNamespacedConfigMap(name, NAMESPACE, read).execute();
    int conflict = codeOf(() -> core.replaceNamespacedConfigMap(name, NAMESPACE, made).execute());
    V1ConfigMap patched = PatchUtils.patch(V1ConfigMap.class,
        () -> core.patchNamespacedConfigMap(name, NAMESPACE, new V1Patch("{\"data\":{\"patched\":\"2\"}}")).buildCall(null),
        V1Patch.PATCH_FORMAT_STRATEGIC_MERGE_PATCH, client);
    V1Preconditions preconditions = new V1Preconditions().uid(made.getMetadata().getUid());
    core.deleteNamespacedConfigMap(name, NAMESPACE).body(new V1DeleteOptions().preconditions(preconditions)).execute();
    int missing = codeOf(() -> core.readNamespacedConfigMap(name, NAMESPACE).execute());

    List<String> events = new ArrayList<>();
    okhttp3.Call call = core.listNamespacedConfigMap(NAMESPACE).fieldSelector("metadata.name=" + name)
        .resourceVersion(made.getMetadata().getResourceVersion()).timeoutSeconds(30).watch(true).buildCall(null);
    try (Watch<V1ConfigMap> watch = Watch.createWatch(client, call,
        new com.google.gson.reflect.TypeToken<Watch.Response<V1ConfigMap>>() {}.getType())) {
      while (events.size() < 3 && watch.hasNext()) events.add(watch.next().type);
    }

    V1ControllerRevision revision = new V1ControllerRevision().metadata(new V1ObjectMeta().name(name))
        .revision(Long.MAX_VALUE).data(Map.of("number", 9007199254740993L));
    apps.createNamespacedControllerRevision(NAMESPACE, revision).execute();
    V1ControllerRevision kept = apps.readNamespacedControllerRevision(name, NAMESPACE).execute();
    String fill = "fill=yes";
    int listed = core.listNamespacedConfigMap(NAMESPACE).labelSelector(fill).execute().getItems().size();
    int paged = 0;
    for (String token = null; !"".equals(token); ) {
      var page = core.listNamespacedConfigMap(NAMESPACE).labelSelector(fill).limit(100)._continue(token).execute();
      paged += page.getItems().size();
      token = page.getMetadata().getContinue() == null ? "" : page.getMetadata().getContinue();
    }

    Map<String, Object> met = new LinkedHashMap<>();
    met.put("text", text);
    met.put("bytes", java.util.Base64.getEncoder().encodeToString(bytes));
    met.put("patched", patched.getData().get("patched"));
    met.put("conflict", conflict == 409);
    met.put("missing", missing == 404);
    met.put("events", events);
    met.put("revision", String.valueOf(kept.getRevision()));
    met.put("raw", String.valueOf(client.getJSON().serialize(kept.getData())));
    met.put("listed", listed);
    met.put("paged", paged);
    met.put("gzip", gzip);
    System.out.println(new com.google.gson.GsonBuilder().disableHtmlEscaping().create().toJson(met));
    System.exit(0);
  }

  private static int codeOf(Call call) {
    try {
      call.run();
      return 200;
    } catch (ApiException error) {
      return error.getCode();
    }
  }
}
