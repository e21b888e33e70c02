/** The graph of a flow, drawn; the same as a list for those who do not see it. Load it lazily: it brings the layout. */
import { useSignal } from "@preact/signals";
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { t } from "../texts/mod.ts";
import {
  type Direction,
  type FlowGraph,
  type PlacedGraph,
  type PlacedNode,
  placeGraph,
  shortType,
} from "./graph_layout.ts";
import { StateBadge, toneOf } from "./state_badge.tsx";

export type { FlowGraph } from "./graph_layout.ts";

interface GraphProps {
  readonly graph: FlowGraph;
  /** For screen readers. */
  readonly label: string;
  /** Ids of tasks and triggers, or uids, that are marked. */
  readonly selected?: string;
  /** Called with a task or a trigger that was chosen. */
  readonly onSelect?: (node: PlacedNode) => void;
  readonly direction?: Direction;
}

const ZOOM_STEP = 1.25;
const MIN_ZOOM = 0.2;
const MAX_ZOOM = 3;
/** Smaller texts are not read: at first a large graph is rather cut off. */
const MIN_READABLE = 0.7;
/** Pixels beside a node that is scrolled to. */
const REVEAL_MARGIN = 12;

/** A graph with zoom. */
export function GraphView(props: GraphProps) {
  const { graph, direction = "TB" } = props;
  const placed = useMemo(() => placeGraph(graph, direction), [graph, direction]);
  const zoom = useSignal(1);
  const frame = useRef<HTMLDivElement>(null);
  const scale = (factor: number) => zoom.value = Math.min(MAX_ZOOM, Math.max(MIN_ZOOM, zoom.value * factor));
  const fit = (least = MIN_ZOOM) => {
    const { clientWidth = 1, clientHeight = 1 } = frame.current ?? {};
    zoom.value = Math.max(least, Math.min(1, clientWidth / placed.width, clientHeight / placed.height));
  };
  useLayoutEffect(() => fit(MIN_READABLE), []);
  useLayoutEffect(() => {
    const node = placed.nodes.find((each) => isChosen(each, props.selected));
    if (node && frame.current) reveal(frame.current, node, zoom.value);
  }, [props.selected]);
  return (
    <figure class="graph" aria-label={props.label}>
      <div class="graph-zoom">
        <button
          type="button"
          class="plain"
          aria-label={t("graph.smaller")}
          onClick={() => scale(1 / ZOOM_STEP)}
        >
          −
        </button>
        <button type="button" class="plain" onClick={() => fit()}>{t("graph.fit")}</button>
        <button type="button" class="plain" aria-label={t("graph.larger")} onClick={() => scale(ZOOM_STEP)}>
          +
        </button>
      </div>
      <div ref={frame} class="graph-frame" tabIndex={0} role="group" aria-label={props.label}>
        <Drawing placed={placed} zoom={zoom.value} {...props} />
      </div>
      <GraphList placed={placed} />
    </figure>
  );
}

function isChosen({ uid, id }: PlacedNode, selected: string | undefined): boolean {
  return selected !== undefined && (uid === selected || id === selected);
}

/** Scrolls the frame, and not the page, as far as it takes to show the node. */
function reveal(frame: HTMLElement, { x, y, width, height }: PlacedNode, zoom: number): void {
  frame.scrollLeft = startShowing(frame.scrollLeft, frame.clientWidth, x * zoom, (x + width) * zoom);
  frame.scrollTop = startShowing(frame.scrollTop, frame.clientHeight, y * zoom, (y + height) * zoom);
}

/** Where a window of that size begins that shows a part, and moves no further than it must. */
function startShowing(start: number, size: number, from: number, to: number): number {
  if (from < start) return from - REVEAL_MARGIN;
  return to > start + size ? to - size + REVEAL_MARGIN : start;
}

function Drawing({ placed, zoom, selected, onSelect }: GraphProps & {
  readonly placed: PlacedGraph;
  readonly zoom: number;
}) {
  const { width, height, nodes, edges, clusters } = placed;
  const drawing = useRef<SVGSVGElement>(null);
  const focused = useSignal<string | undefined>(undefined);
  const tasks = nodes.filter(({ kind }) => kind !== "point");
  // One node is reached by Tab, the others by arrows: a graph can have hundreds.
  const tabStop = tasks.find(({ uid }) => uid === focused.value) ??
    tasks.find((node) => isChosen(node, selected)) ?? tasks[0];
  const onMove = (event: KeyboardEvent) => {
    const index = nextIndex(event.key, tabStop ? tasks.indexOf(tabStop) : 0, tasks.length);
    const buttons = drawing.current?.querySelectorAll<SVGGElement>('[role="button"]');
    if (index === undefined || !buttons || buttons.length === 0) return;
    event.preventDefault();
    buttons[index]?.focus();
  };
  return (
    <svg
      ref={drawing}
      width={width * zoom}
      height={height * zoom}
      viewBox={`0 0 ${width} ${height}`}
      onKeyDown={onMove}
    >
      <defs>
        <marker
          id="graph-arrow"
          viewBox="0 0 8 8"
          refX="7"
          refY="4"
          markerWidth="7"
          markerHeight="7"
          orient="auto"
        >
          <path d="M0 0 8 4 0 8z" class="arrow" />
        </marker>
      </defs>
      {clusters.map(({ uid, title, ...box }) => (
        <g key={uid} class="cluster" aria-hidden="true">
          <rect {...box} rx="10" />
          <title>{title}</title>
        </g>
      ))}
      {edges.map(({ key, path, tone, text, x, y }) => (
        <g key={key} class={`edge ${tone}`} aria-hidden="true">
          <path d={path} marker-end="url(#graph-arrow)" />
          {text !== "" && <text x={x} y={y + 4}>{text}</text>}
        </g>
      ))}
      {nodes.map((node) => (
        <Node
          key={node.uid}
          node={node}
          isSelected={isChosen(node, selected)}
          isTabStop={node === tabStop}
          onFocus={() => focused.value = node.uid}
          onSelect={onSelect}
        />
      ))}
    </svg>
  );
}

/** The place in a list that a key leads to. */
function nextIndex(key: string, index: number, count: number): number | undefined {
  if (key === "ArrowDown" || key === "ArrowRight") return Math.min(index + 1, count - 1);
  if (key === "ArrowUp" || key === "ArrowLeft") return Math.max(index - 1, 0);
  if (key === "Home") return 0;
  return key === "End" ? count - 1 : undefined;
}

function Node({ node, isSelected, isTabStop, onFocus, onSelect }: {
  readonly node: PlacedNode;
  readonly isSelected: boolean;
  readonly isTabStop: boolean;
  readonly onFocus: () => void;
  readonly onSelect?: (node: PlacedNode) => void;
}) {
  const { kind, x, y, width, height, id, type, state } = node;
  if (kind === "point") {
    return <circle class="point" cx={x + width / 2} cy={y + height / 2} r={width / 2 - 1} />;
  }
  const choose = onSelect && (() => onSelect(node));
  return (
    <g
      class={`node ${kind} ${state ? toneOf(state) : ""} ${isSelected ? "selected" : ""}`}
      role={choose && "button"}
      // In SVG the attribute is written in lower case only.
      tabindex={choose && (isTabStop ? 0 : -1)}
      onFocus={onFocus}
      onClick={choose}
      onKeyDown={(event) => {
        if (event.key === "Enter" || event.key === " ") (event.preventDefault(), choose?.());
      }}
    >
      <rect x={x} y={y} width={width} height={height} rx={kind === "trigger" ? 23 : 9} />
      <path class="mark" d={kind === "trigger" ? CLOCK : PLAY} transform={`translate(${x + 12} ${y + 13})`} />
      <text class="id" x={x + 42} y={y + 20}>{shortened(id, node)}</text>
      <text class="type" x={x + 42} y={y + 35}>{shortened(state ?? shortType(type), node)}</text>
    </g>
  );
}

const PLAY = "M3 2h14v16H3zM8 6l6 4-6 4z";
const CLOCK = "M10 18a8 8 0 1 1 0-16 8 8 0 0 1 0 16zM10 5.5V10l3 2";

function shortened(text: string, { width, kind }: PlacedNode): string {
  const most = Math.floor((width - (kind === "trigger" ? 64 : 52)) / 7.2);
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}

/** The graph as a list: each task with its state and the tasks that follow. */
function GraphList({ placed: { nodes } }: { readonly placed: PlacedGraph }) {
  const ids = new Map(nodes.map(({ uid, id }) => [uid, id]));
  return (
    <details class="graph-list">
      <summary>{t("graph.asList")}</summary>
      <ul>
        {nodes.filter(({ kind }) => kind !== "point").map(({ uid, id, type, state, next }) => (
          <li key={uid}>
            <strong>{id}</strong> <span class="dim">{shortType(type)}</span>{" "}
            {state && <StateBadge state={state} />}{" "}
            {next.length > 0 && <span class="dim">→ {next.map((each) => ids.get(each)).join(", ")}</span>}
          </li>
        ))}
      </ul>
    </details>
  );
}
