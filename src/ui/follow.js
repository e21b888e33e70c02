// Follows a live execution: each change loads the page again and puts its main part in place. One file, no dependencies.
const MIN_PAUSE_MS = 500;
const status = document.getElementById("live");

/** The newest main part of this page, with what the reader has unfolded or folded left as it is. */
async function refresh() {
  const answer = await fetch(location.href, { headers: { accept: "text/html" } });
  if (!answer.ok) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const fresh = page.getElementById("main");
  const current = document.getElementById("main");
  if (!fresh || !current) return;
  for (const details of current.querySelectorAll("details[id][data-touched]")) {
    const same = fresh.querySelector(`#${CSS.escape(details.id)}`);
    if (!same) continue;
    same.open = details.open;
    same.dataset.touched = "";
  }
  document.title = page.title;
  current.replaceWith(document.adoptNode(fresh));
}

let isBusy = false;
let isStale = false;

/** Refreshes now, or once more after the refresh under way. */
async function changed() {
  isStale = true;
  if (isBusy) return;
  isBusy = true;
  while (isStale) {
    isStale = false;
    await refresh().catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, MIN_PAUSE_MS));
  }
  isBusy = false;
}

const path = document.getElementById("main")?.dataset.follow;
if (path) {
  document.addEventListener("click", (event) => {
    const details = event.target.closest?.("summary")?.parentElement;
    if (details) details.dataset.touched = "";
  });
  const source = new EventSource(path);
  source.onopen = () => status.textContent = "Live";
  source.onerror = () => status.textContent = "Reconnecting…";
  source.onmessage = (event) => {
    if (event.lastEventId === "start") return;
    if (event.lastEventId === "end") {
      source.close();
      status.textContent = "";
    }
    changed();
  };
}
