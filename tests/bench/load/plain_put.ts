/** `plain_put.ts FILE URL`: uploads a file by the run-time's own client, and prints the milliseconds that it took. */

if (import.meta.main) {
  const [path = "", url = ""] = Deno.args;
  const begin = performance.now();
  using file = await Deno.open(path);
  const headers = { "content-length": String((await file.stat()).size) };
  const response = await fetch(url, { method: "PUT", body: file.readable, headers });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`The upload was refused with status ${response.status}`);
  await Deno.stdout.write(new TextEncoder().encode(`${performance.now() - begin}\n`));
}
