import { GatewayError } from "../../errors.ts";
import { decodeFilter } from "../../filter/decode.ts";
import { readGroups } from "../../filter/read-groups.ts";
import { hint, quote } from "../../filter/spelling.ts";
import { storable } from "../../record/storable.ts";
import {
  type DashboardTerms,
  GRID_COLUMNS,
  type NamedMetric,
  PANEL_METRICS,
  type Panel,
  type PanelKind,
  type PanelMetric,
  type Place,
} from "../../store/dashboards.ts";
import type { DashboardBody, PanelBody } from "./dashboard-body.ts";

/** Bytes of a dashboard's JSON, at most. */
const BYTES_MAX = 262_144;

/** What each kind of panel can draw. */
const RULES: Readonly<Record<PanelKind, Rule>> = {
  line: { splits: [0, 2], metrics: 4, groups: 7 },
  bar: { splits: [0, 2], metrics: 4, groups: 7 },
  number: { splits: [0, 0], metrics: 1, groups: 1 },
  table: { splits: [1, 2], metrics: 8, groups: 10 },
  heatmap: { splits: [1, 2], metrics: 1, groups: 10 },
};

interface Rule {
  /** How many names a panel may be split by: minimum and maximum. */
  readonly splits: readonly [number, number];
  readonly metrics: number;
  /** The default. */
  readonly groups: number;
}

/** Default sizes of panels. */
const SIZES: Readonly<Record<PanelKind, Pick<Place, "w" | "h">>> = {
  line: { w: 6, h: 4 },
  bar: { w: 6, h: 4 },
  number: { w: 3, h: 2 },
  table: { w: 6, h: 5 },
  heatmap: { w: 6, h: 5 },
};

/** Lines of a chart that colours can distinguish, at most. */
const SERIES_MAX = 7;

/**
 * The dashboard in a body that fits the schema.
 *
 * @throws GatewayError `invalid_body` or `filter_invalid`, which name the wrong member.
 */
export function readDashboard(body: DashboardBody): DashboardTerms {
  const { filter = null } = body;
  if (filter !== null) decodeFilter(filter, "legacy");
  const panels = placed(body.panels, body.panels.map(readPanel));
  const terms: DashboardTerms = {
    description: storable(body.description ?? ""),
    range: body.range ?? "7d",
    filter,
    panels,
  };
  const bytes = Buffer.byteLength(JSON.stringify(terms));
  if (bytes > BYTES_MAX)
    throw wrong("panels", `the dashboard takes ${bytes} bytes of at most ${BYTES_MAX}: shorten its filters`);
  return terms;
}

type Unplaced = Omit<Panel, "place">;

function readPanel(panel: PanelBody, at: number): Unplaced {
  const { kind, filter = null, groups } = panel;
  const path = `panels.${at}`;
  const rule = RULES[kind];
  const split = readGroups(panel.split_by ?? [], `${path}.split_by`);
  const metrics = panel.metrics.map((name, index) => readMetric(name, `${path}.metrics.${index}`));
  refuseMetrics({ kind, metrics }, split, path);
  const [least, most] = rule.splits;
  if (split.length < least)
    throw wrong(`${path}.split_by`, `a ${kind} shows groups: give a name to split by, such as "model"`);
  if (split.length > most) throw wrong(`${path}.split_by`, `a ${kind} shows one value: leave split_by out`);
  if (filter !== null) decodeFilter(filter, "legacy", `${path}.filter`);
  const drawn = kind === "line" || kind === "bar";
  if (drawn && (groups ?? 0) > SERIES_MAX)
    throw wrong(
      `${path}.groups`,
      `a ${kind} panel shows ${SERIES_MAX} groups at most; a table or a heatmap shows more`,
    );
  return {
    title: storable(panel.title.trim()),
    ...{ kind, metrics, split_by: [...split], groups: groups ?? rule.groups, filter },
    range: panel.range ?? null,
    thresholds: panel.thresholds ?? [],
  };
}

/** The unit of a metric. */
const unitOf = (name: PanelMetric) => (isScore(name) ? "scores" : PANEL_METRICS[name]);
const isScore = (name: string): name is `score:${string}` => /^score:./s.test(name);

function readMetric(name: string, path: string): PanelMetric {
  if (isScore(name)) return storable(name) as PanelMetric;
  if (Object.hasOwn(PANEL_METRICS, name)) return name as NamedMetric;
  const known = [...Object.keys(PANEL_METRICS), "score:<Name>"];
  throw wrong(path, `there is no metric ${quote(name)}; ${hint(name, known)}`);
}

/** Checks what the metrics of one panel must have in common. */
function refuseMetrics(
  { kind, metrics }: Pick<Panel, "kind" | "metrics">,
  split: readonly string[],
  path: string,
): void {
  const { metrics: most } = RULES[kind];
  const again = metrics.findIndex((name, at) => metrics.indexOf(name) !== at);
  if (again >= 0) throw wrong(`${path}.metrics.${again}`, `"${metrics[again]}" is there already: remove it`);
  if (metrics.length > most)
    throw wrong(`${path}.metrics`, `a ${kind} panel shows ${most} ${most === 1 ? "metric" : "metrics"} at most`);
  if (kind === "table") return;
  if (split.length > 0 && metrics.length > 1)
    throw wrong(`${path}.metrics`, "a panel that is split shows one metric: give one, or leave split_by out");
  const other = metrics.findIndex((name) => unitOf(name) !== unitOf(metrics[0]!));
  if (other > 0) {
    const [first, unit, own] = [metrics[0]!, unitOf(metrics[0]!), unitOf(metrics[other]!)];
    const message = `"${first}" counts ${unit} and "${metrics[other]}" ${own}: make a panel for each`;
    throw wrong(`${path}.metrics.${other}`, message);
  }
}

/** Puts each panel at its given place, and panels without one below. */
function placed(bodies: readonly PanelBody[], panels: readonly Unplaced[]): Panel[] {
  const taken = bodies.map(({ place }) => place ?? undefined);
  for (const [at, place] of taken.entries()) {
    if (place === undefined) continue;
    const path = `panels.${at}.place`;
    if (place.x + place.w > GRID_COLUMNS) {
      const most = GRID_COLUMNS - place.x;
      throw wrong(`${path}.w`, `the grid has ${GRID_COLUMNS} columns and x is ${place.x}: give at most ${most}`);
    }
    const covered = taken.findIndex((other, before) => before < at && other !== undefined && overlap(place, other));
    if (covered >= 0)
      throw wrong(path, `it covers panels.${covered} (${JSON.stringify(panels[covered]!.title)}): move one of them`);
  }
  let bottom = Math.max(0, ...taken.map((place) => (place === undefined ? 0 : place.y + place.h)));
  let x = 0;
  let height = 0;
  return panels.map((panel, at) => {
    const own = taken[at];
    if (own !== undefined) return { ...panel, place: own };
    const size = SIZES[panel.kind];
    if (x + size.w > GRID_COLUMNS) {
      bottom += height;
      x = 0;
      height = 0;
    }
    const place = { x, y: bottom, ...size };
    x += size.w;
    height = Math.max(height, size.h);
    return { ...panel, place };
  });
}

function overlap(a: Place, b: Place): boolean {
  return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
}

const wrong = (path: string, message: string) => new GatewayError("invalid_body", `${path}: ${message}`, { path });
