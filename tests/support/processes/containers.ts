/** Real containers for tests, by Podman; where it is missing, tests that need one are skipped with the reason. */

/** An image with a shell and the usual small programs; nothing is pulled. */
export const TEST_IMAGE = "localhost/sluice-test/busybox:1";

const PROGRAMS = "cat grep head id ls rm sh sleep tail touch true df";

/** Makes the image from the busybox of this machine, which must need no library. */
const IMPORT = `
set -e
podman image exists "$1" && exit
busybox=$(command -v busybox)
mkdir -p bin etc tmp usr
cp "$busybox" bin/busybox
for program in ${PROGRAMS}; do ln -s busybox "bin/$program"; done
ln -s ../bin usr/bin
echo 'root:x:0:0::/:/bin/sh' > etc/passwd
tar -c . | podman import --quiet - "$1"
`;

/** An image with Python as Debian has it, and the shell. */
const PYTHON_IMAGE = "registry.example.com/team/python:3";

/** An image with all programs of busybox. */
const SHELL_IMAGE = "registry.example.com/team/busybox:1";

/** Makes the image from the busybox of this machine, which must need no library; `$2` is an interpreter, or empty. */
const IMPORT_USER_IMAGE = `
set -e
podman image exists "$1" && exit
busybox=$(command -v busybox)
mkdir -p bin etc tmp usr/bin
cp "$busybox" bin/busybox
for program in $("$busybox" --list); do [ -e "bin/$program" ] || ln -s busybox "bin/$program"; done
ln -s /bin/env usr/bin/env
echo 'root:x:0:0::/:/bin/sh' > etc/passwd
if [ -n "$2" ]; then
  real=$("$2" -c 'import os, sys; print(os.path.realpath(sys.executable))')
  library=$("$2" -c 'import sysconfig; print(sysconfig.get_path("stdlib"))')
  mkdir -p ".$library"
  tar -C "$library" --exclude __pycache__ --exclude test --exclude tests --exclude idlelib --exclude 'config-*' \
    --exclude site-packages --exclude dist-packages --exclude ensurepip -c . | tar -C ".$library" -x
  ldd "$real" "$library"/lib-dynload/*.so | grep -o '/[^ :]*\.so[^ :)]*' | sort -u | while read -r file; do
    case "$file" in "$library"/*) ;; *) mkdir -p ".\${file%/*}" && cp -L "$file" ".$file" ;; esac
  done
  mkdir -p ".\${real%/*}" && cp "$real" ".$real"
  for name in python python3; do [ -e "usr/bin/$name" ] || ln -s "$real" "usr/bin/$name"; done
fi
tar -c . | podman import --quiet - "$1"
`;

/** Why containers of {@link PYTHON_IMAGE} and {@link SHELL_IMAGE} cannot be tested here; `undefined`: they can. */
export async function userImagesProblem(): Promise<string | undefined> {
  const python = await isFile("/usr/bin/python3") ? "/usr/bin/python3" : "python3";
  return await imagesProblem([
    [SHELL_IMAGE, IMPORT_USER_IMAGE, "", "true"],
    [PYTHON_IMAGE, IMPORT_USER_IMAGE, python, "python3", "-c", "import json, csv, sqlite3"],
  ]);
}

/** Why containers cannot be tested here; `undefined`: they can. */
export async function podmanProblem(): Promise<string | undefined> {
  return await imagesProblem([[TEST_IMAGE, IMPORT, "", "true"]]);
}

/** An image, the script that makes it with its second argument, and a command that must run in it. */
type ImageToMake = readonly [image: string, script: string, argument: string, ...command: readonly string[]];

async function imagesProblem(images: readonly ImageToMake[]): Promise<string | undefined> {
  for (const [image, script, argument, ...command] of images) {
    const problem = await imageProblem(image, ["-c", script, "sh", image, argument], command);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

async function imageProblem(
  image: string,
  making: string[],
  command: readonly string[],
): Promise<string | undefined> {
  const folder = await Deno.makeTempDir({ prefix: "sluice-test-" });
  try {
    const made = await podmanRun("/bin/sh", making, folder);
    const ran = made ??
      await podmanRun("podman", ["run", "--rm", "--network=none", image, ...command], folder);
    return ran && `no containers here: ${ran}`;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Names of the containers with that label, running or not. */
export async function containersWith(label: string): Promise<string[]> {
  const args = ["ps", "--all", "--filter", `label=${label}`, "--format", "{{.Names}}"];
  const { stdout } = await new Deno.Command("podman", { args }).output();
  return new TextDecoder().decode(stdout).split("\n").filter((line) => line !== "");
}

async function podmanRun(program: string, args: string[], cwd: string): Promise<string | undefined> {
  try {
    const { success, stderr } = await new Deno.Command(program, { args, cwd }).output();
    return success
      ? undefined
      : new TextDecoder().decode(stderr).trim().split("\n").at(-1) || "no reason given";
  } catch (error) {
    return (error as Error).message;
  }
}

async function isFile(path: string): Promise<boolean> {
  return await Deno.stat(path).then((info) => info.isFile, () => false);
}
