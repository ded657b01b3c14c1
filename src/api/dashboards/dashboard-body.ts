import { Type } from "@sinclair/typebox";
import { t } from "elysia";
import { GROUPS } from "../../filter/group-by.ts";
import { GRID_COLUMNS, PANEL_KINDS, PANEL_METRICS, PANEL_RANGES, THRESHOLD_COLOURS } from "../../store/dashboards.ts";
import { FILTER, optional } from "../input/query-body.ts";

const PANELS_MAX = 40;
const METRICS_MAX = 8;
const GROUPS_MAX = 50;
/** Rows of the grid, at most. */
const ROWS_MAX = 1_000;
const HEIGHT_MAX = 20;

/** One of a list of names. */
function oneOf<const Name extends string>(names: readonly Name[], description: string) {
  const all = names.map((name) => t.Literal(name));
  return t.Union(all, { description, expects: `give one of ${names.map((name) => `"${name}"`).join(", ")}` });
}

const THRESHOLD = t.Object(
  {
    comparison: oneOf(["above", "below"], "Exclusive: a value equal to it is neither above nor below."),
    value: t.Number({ description: "Dollars, milliseconds, tokens or a count; a rate is a share from 0 to 1." }),
    colour: oneOf(THRESHOLD_COLOURS, "Colour of the line and of values beyond it."),
  },
  { additionalProperties: false },
);

const PLACE = t.Object(
  {
    x: Type.Integer({ minimum: 0, maximum: GRID_COLUMNS - 1, description: "Columns to its left." }),
    y: Type.Integer({ minimum: 0, maximum: ROWS_MAX, description: "Rows above it." }),
    w: Type.Integer({ minimum: 1, maximum: GRID_COLUMNS, description: "Columns." }),
    h: Type.Integer({ minimum: 1, maximum: HEIGHT_MAX, description: "Rows." }),
  },
  {
    additionalProperties: false,
    description: `Its position on a grid of ${GRID_COLUMNS} columns. Without it the panel is placed below all others.`,
  },
);

const PANEL = t.Object(
  {
    title: t.String({
      minLength: 1,
      maxLength: 100,
      pattern: "\\S",
      expects: "give 1 to 100 characters, not only blanks",
    }),
    kind: oneOf(PANEL_KINDS, "How it is drawn."),
    metrics: t.Array(t.String({ maxLength: 300 }), {
      minItems: 1,
      maxItems: METRICS_MAX,
      expects: `give 1 to ${METRICS_MAX} metrics`,
      description: `One, or several of the same unit; a table has any. Of ${Object.keys(PANEL_METRICS).join(", ")}, score:<Name>.`,
    }),
    split_by: optional(
      t.Array(t.String(), {
        maxItems: 2,
        expects: "give at most 2 names",
        description: `Up to two of ${Object.keys(GROUPS).join(", ")}, property:<Name>, score:<Name>.`,
      }),
    ),
    groups: optional(Type.Integer({ minimum: 1, maximum: GROUPS_MAX, description: "Groups that are shown." })),
    filter: t.Optional(FILTER),
    range: optional(oneOf(PANEL_RANGES, "Replaces the dashboard's.")),
    thresholds: optional(t.Array(THRESHOLD, { maxItems: 5, expects: "give at most 5 thresholds" })),
    place: optional(PLACE),
  },
  { additionalProperties: false },
);

/** The body that creates or replaces a dashboard; an exported file has the same form. */
export const DASHBOARD_BODY = t.Object(
  {
    version: optional(
      t.Literal(1, { expects: "this Weir reads version 1", description: "Version of the file format." }),
    ),
    name: t.String({
      minLength: 1,
      maxLength: 100,
      pattern: "\\S",
      expects: "give 1 to 100 characters, not only blanks",
    }),
    description: optional(t.String({ maxLength: 1_000 })),
    shared: optional(t.Boolean({ description: "true shows it to everybody of the organization; needs `write`." })),
    range: optional(oneOf(PANEL_RANGES, "A span that ends now, or a calendar period; default: 7d.")),
    filter: t.Optional(FILTER),
    panels: t.Array(PANEL, { maxItems: PANELS_MAX, expects: `give a list of at most ${PANELS_MAX} panels` }),
  },
  { additionalProperties: false },
);

export type DashboardBody = typeof DASHBOARD_BODY.static;
export type PanelBody = typeof PANEL.static;
