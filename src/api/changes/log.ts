import { Type } from "@sinclair/typebox";
import { Elysia, t } from "elysia";
import { GatewayError } from "../../errors.ts";
import type { KeySnapshot } from "../../keys.ts";
import { maskLabel } from "../../masking/mask.ts";
import { storable } from "../../record/storable.ts";
import { uuidv7 } from "../../runtime/uuid.ts";
import type { RawHeaders } from "../../spool/frame.ts";
import type { WholeExchange } from "../../spool/reported-exchange.ts";
import type { Callers } from "../access/callers.ts";
import type { ApiContext } from "../context.ts";
import { endpoint } from "../endpoint.ts";
import { success } from "../envelope.ts";
import { readId } from "../input/request-id.ts";

const text = (maxLength = 1_000) => t.Optional(t.String({ minLength: 1, maxLength }));
const time = t.Optional(
  t.Union([t.String(), t.Number()], { description: "ISO 8601, or milliseconds since 1970; default: now." }),
);

const LOGGED = t.Object(
  {
    request: t.Object(
      {
        _type: t.Union([t.Literal("tool"), t.Literal("vector_db"), t.Literal("data")], {
          expects: "_type is tool, vector_db or data",
        }),
      },
      { additionalProperties: true, description: "The request; see docs/models.md." },
    ),
    response: t.Optional(t.Object({}, { additionalProperties: true, description: "Its result." })),
    status: t.Optional(Type.Integer({ minimum: 100, maximum: 599, description: "Default: 200." })),
    start_time: time,
    end_time: time,
    provider: text(100),
    properties: t.Optional(t.Record(t.String({ minLength: 1 }), t.String())),
    user_id: text(),
    session_id: text(),
    session_name: text(),
    session_path: text(),
    request_id: t.Optional(t.String({ description: "Your own UUID." })),
  },
  { additionalProperties: false },
);

type Logged = (typeof LOGGED)["static"];

/** Records calls that did not pass through the gateway: of tools, vector databases, and anything else. */
export function logEndpoints(context: ApiContext, callers: Callers) {
  return new Elysia().post(
    "/v1/log",
    async ({ body, request }) => {
      const exchange = toExchange(body, callers.of(request).key);
      if (body.request_id !== undefined && !(await context.recorder.claimId(exchange.id))) {
        throw new GatewayError("duplicate_request_id", "request_id was used before", { path: "request_id" });
      }
      if (!(await context.gateway.record(exchange)))
        throw new GatewayError("spool_full", "nothing can be recorded now");
      return success({ request_id: exchange.id });
    },
    {
      body: LOGGED,
      ...endpoint(
        "Requests",
        "Log a call to a tool, a vector database or anything else",
        "It is recorded like a request.",
      ),
    },
  );
}

function toExchange(body: Logged, key: KeySnapshot): WholeExchange {
  const now = Date.now();
  const endedAt = readTime(body.end_time, "end_time") ?? now;
  const startedAt = readTime(body.start_time, "start_time") ?? endedAt;
  if (endedAt < startedAt)
    throw new GatewayError("invalid_body", "end_time is before start_time", { path: "end_time" });
  const logged: Readonly<Record<string, unknown>> = body.request;
  if (logged["_type"] === "tool" && (typeof logged["toolName"] !== "string" || logged["toolName"] === ""))
    throw new GatewayError("invalid_body", "say which tool was called", { path: "request.toolName" });
  const id = body.request_id === undefined ? uuidv7() : readId(body.request_id, "request_id");
  return {
    id,
    begin: {
      time: startedAt,
      method: "POST",
      path: "/v1/log",
      target: "",
      provider: (body.provider ?? "CUSTOM").toUpperCase(),
      organization: key.organizationId,
      keyId: key.id,
      keyName: key.name,
      authHash: key.hash,
      headers: ["content-type", "application/json"],
      gateway: labels(body),
      omitRequest: false,
      omitResponse: false,
    },
    requestBody: JSON.stringify(body.request),
    responseBody: body.response === undefined ? null : JSON.stringify(body.response),
    status: body.status ?? 200,
    endedAt,
  };
}

/** The labels as the headers that a request through the gateway would have had. */
function labels({ properties = {}, user_id, session_id, session_name, session_path, request_id }: Logged): RawHeaders {
  const pairs: [string, string | undefined][] = [
    ...Object.entries(properties).map(([name, value]): [string, string] => [
      `Gateway-Property-${name}`,
      maskLabel(value, name),
    ]),
    ["Gateway-User-Id", user_id],
    ["Gateway-Session-Id", session_id],
    ["Gateway-Session-Name", session_name],
    ["Gateway-Session-Path", session_path],
    ["Gateway-Request-Id", request_id],
  ];
  return pairs.flatMap(([name, value]) => (value === undefined ? [] : [onTheWire(name), onTheWire(maskLabel(value))]));
}

/** UTF-8 bytes as a header value holds them (one Latin-1 character per byte). */
const onTheWire = (text: string) => Buffer.from(storable(text), "utf8").toString("latin1");

const TIME_MAX = Date.UTC(9999, 11, 31);

function readTime(value: string | number | undefined, path: string): number | undefined {
  if (value === undefined) return undefined;
  const at = typeof value === "number" ? value : Date.parse(value);
  if (Number.isFinite(at) && at >= 0 && at <= TIME_MAX) return at;
  throw new GatewayError("invalid_body", "give ISO 8601, or milliseconds since 1970", { path });
}
