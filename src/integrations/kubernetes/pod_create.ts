/** `kubernetes.core.PodCreate`. */
import { dynamicFlag, dynamicProperty, dynamicText, type PropertySchemas } from "../../model/flows/schema.ts";
import type { MachineTaskContext } from "../../model/tasks/machine_task.ts";
import { defineServerTask, type ServerTaskContext } from "../../model/tasks/server_task.ts";
import { CLUSTER } from "./cluster.ts";

const MAP = { type: "map", dynamic: true } as const;

const PROPERTIES: PropertySchemas = Object.freeze({
  ...CLUSTER,
  spec: {
    ...MAP,
    required: true,
    description:
      "`spec` of the pod. In texts `{{ workingDir }}` is the directory of input and output files, " +
      "`/kestra/working-dir`.",
  },
  metadata: {
    ...MAP,
    description:
      "`metadata` of the pod, such as labels. By default its name is that of flow, task and task run.",
  },
  inputFiles: {
    ...MAP,
    description:
      "Files that the containers find in `{{ workingDir }}`, by name: the URI of a file, or the content.",
  },
  outputFiles: dynamicProperty("list", "Files of `{{ workingDir }}` to store: names or globs.", {
    items: dynamicText("A name or a glob."),
  }),
  fileSidecar: dynamicProperty(
    "object",
    "The containers that carry files: their image needs `sh`, `tar` and `head`.",
    {
      properties: {
        image: dynamicText("Image of the containers.", { default: "busybox" }),
        resources: { ...MAP, description: "`resources` of the containers." },
        defaultSpec: {
          ...MAP,
          description: "Default settings of these containers, in place of `containerDefaultSpec`.",
        },
      },
    },
  ),
  containerDefaultSpec: {
    ...MAP,
    description: "Default settings of all containers, such as `securityContext`; those of a container win.",
  },
  delete: dynamicFlag(
    true,
    "Whether the pod is deleted when it has ended. It is always deleted when the task is killed.",
  ),
  resume: dynamicFlag(
    true,
    "Whether the task continues with a pod of the same attempt, which a restart of the server left.",
  ),
  waitUntilRunning: dynamicProperty("duration", "Longest wait until the containers run.", {
    default: "PT10M",
  }),
  waitUntilReady: dynamicProperty(
    "duration",
    "Longest wait until the condition `Ready` holds; with zero the task does not wait for it.",
    { default: "PT0S" },
  ),
  waitRunning: dynamicProperty("duration", "Longest wait for the end of the containers.", {
    default: "PT1H",
  }),
  waitForLogInterval: dynamicProperty("duration", "Wait for late log lines after the end.", {
    default: "PT1S",
  }),
  inheritClusterConfig: dynamicFlag(false, "Has no effect: a connection must be complete.", {
    ignored: true,
  }),
});

/** The pod is deleted when the task is killed. Lines of its containers are read as those of scripts. */
export const podCreate = defineServerTask({
  type: "kubernetes.core.PodCreate",
  aliases: ["kubernetes.PodCreate"],
  title: "Run a pod of Kubernetes",
  description: "Creates a pod, logs what its containers print, and waits for its end.",
  properties: PROPERTIES,
  outputs: {
    metadata: { type: "map", description: "Metadata of the pod." },
    status: { type: "map", description: "`status` of the pod at its end." },
    outputFiles: {
      type: "map",
      items: { type: "string", description: "A storage URI." },
      description: "Storage URIs of the files that `outputFiles` names.",
    },
    vars: { type: "map", description: 'Outputs that the containers print as `::{"outputs": {…}}::`.' },
  },
  examples: [{
    title: "Convert a file in a container",
    yaml: `id: convert
type: io.kestra.plugin.kubernetes.core.PodCreate
namespace: jobs
connection:
  masterUrl: https://cluster.example.com:6443
  oauthToken: "{{ secret('K8S_TOKEN') }}"
  caCertData: "{{ secret('K8S_CA') }}"
inputFiles:
  in.md: "{{ outputs.write.uri }}"
outputFiles: [out.html]
spec:
  restartPolicy: Never
  containers:
    - name: pandoc
      image: pandoc/core:3
      command: [pandoc, "{{ workingDir }}/in.md", -o, "{{ workingDir }}/out.html"]`,
  }],
  async run(context: ServerTaskContext & MachineTaskContext) {
    const { runPod } = await import("./pod_run.ts");
    return await runPod(context);
  },
});
