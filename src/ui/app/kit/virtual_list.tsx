/** A long list of which only the visible rows are in the document. */
import type { ComponentChildren, JSX, RefObject } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";

interface VirtualListProps {
  readonly count: number;
  /** Height of a row in pixels; a number if all are the same. Rows may turn out a little different. */
  readonly heightOf: number | ((index: number) => number);
  readonly row: (index: number) => ComponentChildren;
  readonly class?: string;
  /** Further attributes of the frame that scrolls, such as its role and label. */
  readonly frame?: JSX.IntrinsicElements["div"];
  /** Row to bring into view; again when it changes. */
  readonly shown?: number;
  /** Stays at the end while rows are added. */
  readonly follows?: boolean;
  /** Called when a person scrolls away from the end, or back to it. */
  readonly onEnd?: (isAtEnd: boolean) => void;
  /** Called with the rows in view and those near them, when they change: from `first` to before `last`. */
  readonly onRange?: (first: number, last: number) => void;
}

const OVERSCAN_PX = 400;
const END_PX = 24;

/** The list; its height comes from the style sheet. */
export function VirtualList(props: VirtualListProps) {
  const { count, heightOf, row, shown, follows = false, onEnd, onRange } = props;
  const offsets = useMemo(() => offsetsOf(count, heightOf), [count, heightOf]);
  const frame = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 0 });
  const total = offsets[count] ?? 0;
  useEffect(() => {
    const element = frame.current;
    if (!element) return;
    const measure = () => setView({ top: element.scrollTop, height: element.clientHeight });
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  // Once for each row that is asked for: rows that are added later must not scroll the list.
  const brought = useRef<number>(undefined);
  useLayoutEffect(() => {
    const element = frame.current;
    if (!element || shown === undefined || shown < 0 || shown >= count || brought.current === shown) return;
    brought.current = shown;
    bringIntoView(element, offsets, shown);
  }, [shown, count]);
  useLayoutEffect(() => {
    if (follows && frame.current) frame.current.scrollTop = frame.current.scrollHeight;
  }, [follows, total, view.height]);
  useStillView(frame, offsets, follows);
  const onScroll = () => {
    const element = frame.current;
    if (!element) return;
    setView({ top: element.scrollTop, height: element.clientHeight });
    onEnd?.(element.scrollHeight - element.scrollTop - element.clientHeight < END_PX);
  };
  const first = indexAt(offsets, view.top - OVERSCAN_PX);
  const last = Math.min(count, indexAt(offsets, view.top + view.height + OVERSCAN_PX) + 1);
  useEffect(() => onRange?.(first, last), [first, last, count]);
  const rows = Array.from({ length: Math.max(0, last - first) }, (_, index) => row(first + index));
  return (
    <div {...props.frame} ref={frame} class={`virtual ${props.class ?? ""}`} onScroll={onScroll}>
      <div role="presentation" style={{ paddingTop: `${offsets[first] ?? 0}px`, minHeight: `${total}px` }}>
        {rows}
      </div>
    </div>
  );
}

/** Keeps the first visible row where it is when rows above it turn out higher or lower. */
function useStillView(
  frame: RefObject<HTMLDivElement | null>,
  offsets: Float64Array,
  follows: boolean,
): void {
  const known = useRef(offsets);
  useLayoutEffect(() => {
    const before = known.current;
    known.current = offsets;
    const element = frame.current;
    if (!element || follows || before === offsets || before.length !== offsets.length) return;
    const index = indexAt(before, element.scrollTop);
    const change = (offsets[index] ?? 0) - (before[index] ?? 0);
    if (change !== 0) element.scrollTop += change;
  }, [offsets, follows]);
}

/** Where each row begins, and behind the last one where it ends. */
function offsetsOf(count: number, heightOf: VirtualListProps["heightOf"]): Float64Array {
  const offsets = new Float64Array(count + 1);
  for (let index = 0; index < count; index++) {
    const height = typeof heightOf === "number" ? heightOf : heightOf(index);
    offsets[index + 1] = (offsets[index] ?? 0) + height;
  }
  return offsets;
}

/** The row at that height; binary search. */
function indexAt(offsets: Float64Array, y: number): number {
  let low = 0;
  let high = Math.max(0, offsets.length - 2);
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((offsets[middle] ?? 0) <= y) low = middle;
    else high = middle - 1;
  }
  return low;
}

function bringIntoView(element: HTMLElement, offsets: Float64Array, index: number): void {
  const top = offsets[index] ?? 0;
  const bottom = offsets[index + 1] ?? top;
  const isVisible = top >= element.scrollTop && bottom <= element.scrollTop + element.clientHeight;
  if (!isVisible) element.scrollTop = Math.max(0, top - element.clientHeight / 3);
}
