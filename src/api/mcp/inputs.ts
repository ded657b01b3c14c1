import { Type as t } from "@sinclair/typebox";
import { within } from "../../filter/written/period.ts";
import { type FilterNode, readWritten } from "../../filter/written/read-written.ts";

/** Parameters of most tools: which requests to use. */
export const CHOICE = {
  filter: t.Optional(
    t.String({
      description:
        "Conditions that all must hold, such as `model=gpt-4o cost>0.01 status>=400`. Operators: = != > >= < <= ~ (contains) !~ =~ (like, with % and _). " +
        "`or` and brackets; several values as status=429,500; null for missing; quotes around values with spaces. " +
        "Fields: model provider status user key session cost latency (ms) first_token tokens prompt_tokens completion_tokens cached outcome error_code finish_reason " +
        "input output request_body response_body path target prompt_id prompt_version route credential id created feedback property.<Name> score.<name> session_cost session_requests.",
      examples: ["status>=400", "model=~gpt-4% latency>2s", "property.Team=search or user=ann@example.com"],
    }),
  ),
  last: t.Optional(
    t.String({ description: "Requests of the last minutes, hours or days.", examples: ["15m", "24h", "7d"] }),
  ),
  since: t.Optional(t.String({ description: "From this day or ISO 8601 time on.", examples: ["2026-01-31"] })),
  until: t.Optional(t.String({ description: "Before this day or ISO 8601 time." })),
};

interface Choice {
  readonly filter?: string;
  readonly last?: string;
  readonly since?: string;
  readonly until?: string;
}

/** The filter in the API's form. @throws GatewayError `filter_invalid`. */
export function chosen({ filter = "", last, since, until }: Choice): FilterNode {
  return within({ last, since, until }, readWritten(filter));
}

export const ID = t.String({
  description: "The request's id, as a list or the response header gateway-id gives it.",
  examples: ["01a21a30-f2d1-71ab-b1cc-9bfb9ee10307"],
});

export const OFFSET = t.Optional(
  t.Integer({ minimum: 0, description: "next_offset of the previous result, with all other arguments unchanged." }),
);
/** Of a result's `next_offset`. */
export const NEXT_OFFSET = { type: ["integer", "null"] } as const;

export const limit = (max: number, otherwise: number) =>
  t.Optional(t.Integer({ minimum: 1, maximum: max, description: `Rows at most; default: ${otherwise}.` }));
