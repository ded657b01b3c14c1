import type { ProviderPlugin } from "weir/plugin";

/**
 * The gateway's own echo, for a first request without an account: it answers chat completions with what the user said
 * last, and anything else with its own body. It is answered inside the gateway (`src/gateway/echo/`); no connection is
 * made, and the host is looked up nowhere. It counts words as tokens, and costs nothing.
 */
export default {
  apiVersion: 1,
  name: "ECHO",
  hosts: ["echo.weir.internal"],
  target: "http://echo.weir.internal",
  dedicatedDomain: "echo",
  wireSchemas: [{ path: /\/chat\/completions$/, schema: "chat-completions" }],
  shapes: ["chat-completions"],
  auth: "none",
  credential: { secret: [], oneOf: [[]] },
  cost: () => 0,
} satisfies ProviderPlugin;
