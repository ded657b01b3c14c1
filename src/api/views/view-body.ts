import { t } from "elysia";
import { GatewayError } from "../../errors.ts";
import { decodeFilter } from "../../filter/decode.ts";
import { decodeSort } from "../../filter/sort.ts";
import type { ViewTerms } from "../../store/saved-views.ts";
import { FILTER, optional, optionalSort } from "../input/query-body.ts";

const COLUMNS_MAX = 60;
/** Characters of a filter's JSON, at most. */
const FILTER_LENGTH_MAX = 65_536;

const COLUMN = t.Object(
  {
    id: t.String({ minLength: 1, maxLength: 300, description: "Such as `model`, `property:Team` or `score:helpful`." }),
    width: t.Optional(t.Number({ minimum: 1, maximum: 10_000, description: "Pixels." })),
  },
  { additionalProperties: false },
);

const MOMENT = { maxLength: 40, description: "ISO 8601; not together with range." };

export const VIEW_BODY = t.Object(
  {
    name: t.String({
      minLength: 1,
      maxLength: 100,
      pattern: "\\S",
      expects: "give 1 to 100 characters, not only blanks",
    }),
    shared: optional(t.Boolean({ description: "true shows it to everybody of the organization; needs `write`." })),
    filter: t.Optional(FILTER),
    search: optional(t.String({ maxLength: 1_000, description: "Words to search for." })),
    sort: optionalSort,
    range: optional(
      t.String({
        pattern: "^(all|[0-9]{1,3}[mhd]|today|yesterday|(this|last)-(week|month))$",
        expects: "give all, a span such as 15m, 24h or 30d, or a period such as yesterday or this-month",
      }),
    ),
    from: optional(t.String(MOMENT)),
    to: optional(t.String(MOMENT)),
    columns: optional(t.Array(COLUMN, { maxItems: COLUMNS_MAX, description: "In their order." })),
  },
  { additionalProperties: false },
);

export const VIEW_CHANGES = t.Partial(VIEW_BODY, { additionalProperties: false });

type RequestedTerms = { readonly [Name in Exclude<keyof ViewTerms, "sort">]?: ViewTerms[Name] | undefined } & {
  readonly sort?: unknown;
};

const wrong = (path: string, message: string) => new GatewayError("invalid_body", `${path}: ${message}`, { path });

/** @throws GatewayError `invalid_body`, `filter_invalid`, `sort_invalid`. */
export function readTerms(requested: RequestedTerms): ViewTerms {
  const { filter = null, search, sort = null, range, from, to, columns } = requested;
  if (filter !== null) {
    decodeFilter(filter, "legacy");
    if (JSON.stringify(filter).length > FILTER_LENGTH_MAX)
      throw wrong("filter", `it is longer than ${FILTER_LENGTH_MAX} characters`);
  }
  if (sort !== null) decodeSort(sort);
  if (range && (from || to)) throw wrong("range", "give either a range, or from and to");
  return {
    filter,
    search: search || null,
    sort: sort as ViewTerms["sort"],
    range: range ?? null,
    from: readMoment(from, "from"),
    to: readMoment(to, "to"),
    columns: columns ?? null,
  };
}

function readMoment(text: string | null | undefined, path: string): string | null {
  if (text === null || text === undefined) return null;
  const time = Date.parse(text);
  if (Number.isNaN(time)) throw wrong(path, "give an ISO 8601 time");
  return new Date(time).toISOString();
}
