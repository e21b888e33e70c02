/** Parts of the page whose scripts are loaded when they are first drawn. */
import { type Signal, signal } from "@preact/signals";
import type { ComponentType, FunctionComponent } from "preact";
import { t } from "../texts/mod.ts";
import { Skeleton } from "./feedback.tsx";

type Load<Props> = () => Promise<ComponentType<Props>>;
/** The part, or why it is not there. */
type LoadState<Props> = ComponentType<Props> | "not begun" | "loading" | "failed";

/** A component whose script may not be there yet. */
type LazyPart<Props> = FunctionComponent<Props> & {
  /** Begins to load the script before the part is drawn. */
  readonly preload: () => void;
};

/** A part: bars until its script is loaded; where that fails, it says so and can be tried again. `rows` is the number of bars. */
export function lazyPart<Props extends object>(load: Load<Props>, rows?: number): LazyPart<Props> {
  const state = signal<LoadState<Props>>("not begun");
  const preload = () => {
    if (state.peek() === "not begun") void loadInto(state, load);
  };
  const Part = (props: Props) => {
    preload();
    const Loaded = state.value;
    if (Loaded === "failed") return <NotLoaded retry={() => loadInto(state, load)} />;
    return typeof Loaded === "string" ? <Skeleton rows={rows} /> : <Loaded {...props} />;
  };
  return Object.assign(Part, { preload });
}

async function loadInto<Props>(state: Signal<LoadState<Props>>, load: Load<Props>): Promise<void> {
  state.value = "loading";
  try {
    state.value = await load();
  } catch (error) {
    reportError(error);
    state.value = "failed";
  }
}

/** After an update of the server only loading the page again helps: its scripts have other names. */
function NotLoaded({ retry }: { readonly retry: () => Promise<void> }) {
  return (
    <div class="notice bad" role="alert">
      <span>{t("error.partNotLoaded")}</span>
      <button type="button" onClick={() => void retry()}>{t("common.retry")}</button>
      <button type="button" onClick={() => location.reload()}>{t("error.reload")}</button>
    </div>
  );
}
