/**
 * Places boxes in layers, one after the other along a direction: each behind those that it follows. Boxes of a layer keep
 * the order in which they are declared, unless another order has fewer crossings. Takes time in proportion to boxes and
 * links, so that 500 boxes take milliseconds.
 */

/** A box with its size along and across the direction of the layers. */
export interface LayerItem {
  readonly key: string;
  readonly along: number;
  readonly across: number;
  /** Where links meet it, across, from its centre; 0 by default. */
  readonly anchor?: number;
}

/** Says that a box follows another one. */
interface LayerLink {
  readonly from: string;
  readonly to: string;
}

/** A point; across and along the direction of the layers. */
export interface LayerPoint {
  readonly along: number;
  readonly across: number;
}

/** Where everything is; the smallest coordinates are 0. */
interface PlacedLayers {
  readonly along: number;
  readonly across: number;
  /** Centres of the boxes by key. */
  readonly centres: ReadonlyMap<string, LayerPoint>;
  /** For each link the points between its boxes, where it passes other layers. */
  readonly routes: readonly (readonly LayerPoint[])[];
}

/** A box in its layer, or the place where a link passes a layer. */
interface Cell {
  readonly layer: number;
  readonly along: number;
  readonly across: number;
  /** `undefined` for a link that passes. */
  readonly item?: LayerItem;
  readonly before: Cell[];
  readonly after: Cell[];
  /** Index in its layer. */
  order: number;
  /** Centre across. */
  at: number;
}

const LAYER_GAP = 38;
/** Beside a layer that has only points without a size. */
const POINT_GAP = 14;
const BOX_GAP = 22;
const LANE_GAP = 12;
const ORDER_SWEEPS = 6;
const PLACE_SWEEPS = 4;

/** Places boxes. Links that close a circle do not influence the layers. */
export function placeLayers(items: readonly LayerItem[], links: readonly LayerLink[]): PlacedLayers {
  const { layers, cells, lanes } = layered(items, links);
  reduceCrossings(layers);
  for (const layer of layers) pack(layer, () => 0);
  for (let sweep = 0; sweep < PLACE_SWEEPS; sweep++) {
    for (const layer of layers) pack(layer, (cell) => besides(cell.before, cell));
    for (const layer of layers.toReversed()) pack(layer, (cell) => besides(cell.after, cell));
  }
  const all = layers.flat();
  const left = least(all.map(({ at, across }) => at - across / 2));
  const { spans, along } = spansOf(layers);
  const middleOf = ({ layer, at }: Cell): LayerPoint => {
    const { from = 0, to = 0 } = spans[layer] ?? {};
    return { along: (from + to) / 2, across: at - left };
  };
  return {
    along,
    across: -least(all.map(({ at, across }) => left - at - across / 2)),
    centres: new Map([...cells].map(([key, cell]) => [key, middleOf(cell)])),
    routes: lanes.map((lane) =>
      lane.flatMap((cell) => {
        const { from = 0, to = 0 } = spans[cell.layer] ?? {};
        return [{ along: from, across: cell.at - left }, { along: to, across: cell.at - left }];
      })
    ),
  };
}

function least(values: readonly number[]): number {
  return values.reduce((a, b) => Math.min(a, b), Infinity);
}

interface Layered {
  readonly layers: Cell[][];
  readonly cells: ReadonlyMap<string, Cell>;
  /** For each link the cells of the layers that it passes. */
  readonly lanes: readonly (readonly Cell[])[];
}

/** Cells in layers, in the order of a walk that follows the links as declared. */
function layered(items: readonly LayerItem[], links: readonly LayerLink[]): Layered {
  const outgoing = Map.groupBy(links.map((link, index) => ({ ...link, index })), ({ from }) => from);
  const ranks = ranksOf(items, links);
  const byKey = new Map(items.map((item) => [item.key, item]));
  const layers: Cell[][] = [];
  const cells = new Map<string, Cell>();
  const lanes: Cell[][] = links.map(() => []);
  const add = (layer: number, size: Pick<Cell, "along" | "across" | "item">): Cell => {
    const row = layers[layer] ??= [];
    const cell: Cell = { ...size, layer, before: [], after: [], order: row.length, at: 0 };
    row.push(cell);
    return cell;
  };
  const visit = (item: LayerItem): Cell => {
    const known = cells.get(item.key);
    if (known) return known;
    const cell = add(ranks.get(item.key) ?? 0, { along: item.along, across: item.across, item });
    cells.set(item.key, cell);
    for (const { to, index } of outgoing.get(item.key) ?? []) {
      const target = byKey.get(to);
      const rank = ranks.get(to) ?? 0;
      if (!target || rank <= cell.layer) continue;
      let last = cell;
      for (let layer = cell.layer + 1; layer < rank; layer++) {
        const passing = add(layer, { along: 0, across: 0 });
        lanes[index]?.push(passing);
        connect(last, passing);
        last = passing;
      }
      connect(last, visit(target));
    }
    return cell;
  };
  for (const item of items.filter(({ key }) => ranks.get(key) === 0)) visit(item);
  for (const item of items) visit(item);
  return { layers: Array.from(layers, (layer) => layer ?? []), cells, lanes };
}

function connect(first: Cell, second: Cell): void {
  first.after.push(second);
  second.before.push(first);
}

/** The layer of each box: behind all that it follows. */
function ranksOf(items: readonly LayerItem[], links: readonly LayerLink[]): ReadonlyMap<string, number> {
  const outgoing = Map.groupBy(links, ({ from }) => from);
  const waits = new Map(items.map(({ key }) => [key, 0]));
  for (const { to } of links) waits.set(to, (waits.get(to) ?? 0) + 1);
  const ranks = new Map<string, number>();
  const ready = items.map(({ key }) => key).filter((key) => waits.get(key) === 0);
  for (const key of ready) {
    const rank = ranks.get(key) ?? 0;
    ranks.set(key, rank);
    for (const { to } of outgoing.get(key) ?? []) {
      ranks.set(to, Math.max(ranks.get(to) ?? 0, rank + 1));
      waits.set(to, (waits.get(to) ?? 0) - 1);
      if (waits.get(to) === 0) ready.push(to);
    }
  }
  return ranks;
}

/** Sorts layers by the mean place of their neighbours, as long as that helps. */
function reduceCrossings(layers: Cell[][]): void {
  let fewest = crossingsOf(layers);
  let best = layers.map((layer) => [...layer]);
  for (let sweep = 0; sweep < ORDER_SWEEPS && fewest > 0; sweep++) {
    const isDown = sweep % 2 === 0;
    for (const layer of isDown ? layers : layers.toReversed()) {
      const weight = (cell: Cell) => {
        const near = isDown ? cell.before : cell.after;
        return near.length === 0 ? cell.order : near.reduce((sum, { order }) => sum + order, 0) / near.length;
      };
      const weights = new Map(layer.map((cell) => [cell, weight(cell)]));
      layer.sort((a, b) => (weights.get(a) ?? 0) - (weights.get(b) ?? 0));
      number(layer);
    }
    const crossings = crossingsOf(layers);
    if (crossings >= fewest) continue;
    fewest = crossings;
    best = layers.map((layer) => [...layer]);
  }
  best.forEach((layer, index) => {
    layers[index] = layer;
    number(layer);
  });
}

function number(layer: readonly Cell[]): void {
  layer.forEach((cell, index) => cell.order = index);
}

/** Pairs of links between neighbouring layers that cross. */
function crossingsOf(layers: readonly (readonly Cell[])[]): number {
  let count = 0;
  for (const layer of layers) {
    const ends: number[] = [];
    for (const { after } of layer) {
      const orders = after.map(({ order }) => order);
      for (const order of orders) for (const end of ends) if (end > order) count++;
      ends.push(...orders);
    }
  }
  return count;
}

/** Where the links of a cell would be straight in the mean. */
function besides(neighbours: readonly Cell[], cell: Cell): number {
  if (neighbours.length === 0) return cell.at;
  const sum = neighbours.reduce((total, each) => total + each.at + anchorOf(each), 0);
  return sum / neighbours.length - anchorOf(cell);
}

function anchorOf({ item }: Cell): number {
  return item?.anchor ?? 0;
}

/**
 * Moves the cells of a layer as near to their wanted places as their order and the gaps allow: cells that would overlap
 * move together (pool adjacent violators).
 */
function pack(layer: readonly Cell[], wanted: (cell: Cell) => number): void {
  const groups: { sum: number; count: number }[] = [];
  const offsets: number[] = [];
  let offset = 0;
  layer.forEach((cell, index) => {
    const previous = layer[index - 1];
    if (previous) offset += (previous.across + cell.across) / 2 + gapBetween(previous, cell);
    offsets.push(offset);
    let group = { sum: wanted(cell) - offset, count: 1 };
    for (let last = groups.at(-1); last && last.sum / last.count >= group.sum / group.count;) {
      groups.pop();
      group = { sum: last.sum + group.sum, count: last.count + group.count };
      last = groups.at(-1);
    }
    groups.push(group);
  });
  let index = 0;
  for (const { sum, count } of groups) {
    for (const cell of layer.slice(index, index + count)) cell.at = sum / count + (offsets[index++] ?? 0);
  }
}

function gapBetween(a: Cell, b: Cell): number {
  return a.item && b.item ? BOX_GAP : LANE_GAP;
}

/** Where each layer begins and ends. */
function spansOf(layers: readonly (readonly Cell[])[]) {
  const sizes = layers.map((layer) => layer.reduce((most, { along }) => Math.max(most, along), 0));
  const spans: { readonly from: number; readonly to: number }[] = [];
  sizes.forEach((size, index) => {
    const last = spans.at(-1);
    const gap = size === 0 || sizes[index - 1] === 0 ? POINT_GAP : LAYER_GAP;
    const from = last ? last.to + gap : 0;
    spans.push({ from, to: from + size });
  });
  return { spans, along: spans.at(-1)?.to ?? 0 };
}
