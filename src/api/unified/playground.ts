import { Elysia, t } from "elysia";
import { sendThroughGateway } from "../../unified/through-gateway.ts";
import { sentFor } from "../access/caller.ts";
import type { Callers } from "../access/callers.ts";
import type { ApiContext } from "../context.ts";
import { endpoint } from "../endpoint.ts";

const PLAYGROUND_PATH = "/v1/playground";

/** Endpoints of the unified address that the playground uses. */
const ENDPOINTS = ["chat/completions", "responses", "messages"] as const;

const ABOUT =
  "The unified address for the dashboard: the request is sent as the user or service key of the log-in. " +
  "Its record has the property `Playground`. Requests and responses are those of the unified address, including streams.";

/** Client headers that mean something to the gateway or the provider; others that a browser sends concern neither. */
const PASSED = /^(?:accept|content-type|content-length|anthropic-beta|anthropic-version|openai-beta|gateway-.+)$/;
/** The key is the log-in's; the property is set here. */
const NOT_PASSED = /^gateway-(?:auth|property-playground)$/;

/** Lets logged-in users try models: requests of the unified address, sent for the key that the log-in stands for. */
export function playgroundEndpoints(context: ApiContext, callers: Callers) {
  const app = new Elysia();
  for (const path of ENDPOINTS) {
    app.post(
      `${PLAYGROUND_PATH}/${path}`,
      ({ request }) =>
        sendThroughGateway(context.passedOn, request, {
          url: `/v1/${path}`,
          headers: headersOf(request),
          sentFor: sentFor(callers.of(request)),
        }),
      {
        ...endpoint("Playground", `Try a model: ${path}`, ABOUT, {
          takes: { "application/json": t.Object({}, { additionalProperties: true }) },
          responses: { "application/json": t.Unknown(), "text/event-stream": t.String() },
        }),
      },
    );
  }
  return app;
}

function headersOf({ headers, body }: Request): string[] {
  const passed = [...headers].filter(([name]) => PASSED.test(name) && !NOT_PASSED.test(name));
  const length = body === null || headers.has("content-length") ? [] : ["Transfer-Encoding", "chunked"];
  return [
    "Host",
    "ai",
    "User-Agent",
    "weir-playground",
    "Gateway-Property-Playground",
    "yes",
    ...passed.flat(),
    ...length,
  ];
}
