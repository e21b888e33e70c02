/** `fs.nfs.CheckMount`. */
import { dynamicText } from "../../../model/flows/schema.ts";
import { defineMachineTask } from "../../../model/tasks/machine_task.ts";
import { serverPath } from "../paths.ts";
import { NEEDS_FOLDER } from "./place.ts";

const NFS = "nfs";
/** Names of kinds of file systems by the numbers of Linux (statfs(2)). */
const KINDS: ReadonlyMap<number, string> = new Map([
  [0x6969, NFS],
  [0xef53, "ext4"],
  [0x58465342, "xfs"],
  [0x9123683e, "btrfs"],
  [0x01021994, "tmpfs"],
  [0x794c7630, "overlay"],
  [0x2fc12fc1, "zfs"],
  [0x65735546, "fuse"],
  [0xff534d42, "cifs"],
  [0xfe534d42, "smb2"],
  [0x01021997, "9p"],
]);

/** Tells whether a path is on a share of NFS. */
export const checkMount = defineMachineTask({
  type: "fs.nfs.CheckMount",
  title: "Check whether a path is on a share of NFS",
  description: `Tells whether a path of the machine is on a mounted share of NFS. ${NEEDS_FOLDER}`,
  properties: { path: dynamicText("Absolute path of the mounted folder.", { required: true }) },
  outputs: {
    path: { type: "string", description: "The path." },
    isNfsMount: { type: "boolean", description: "Whether it is on a share of NFS." },
    fileStoreType: {
      type: "string",
      description: "Kind of its file system, such as `nfs` or `ext4`; `0x…` is a number of Linux.",
    },
  },
  examples: [{
    title: "Check a share",
    yaml: "id: mount\ntype: io.svc.plugin.fs.nfs.CheckMount\npath: /mnt/share",
  }],
  async run(context) {
    const path = serverPath(context.properties.path);
    const local = context.localFiles();
    if (await local.find(path) === undefined) {
      throw new Error(`Cannot check "${path}": there is no such file or folder`);
    }
    const type = (await local.fileSystemOf(path)) >>> 0;
    const kind = KINDS.get(type) ?? `0x${type.toString(16)}`;
    return { path, isNfsMount: kind === NFS, fileStoreType: kind };
  },
});
