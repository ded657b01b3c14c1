import type { ProviderPlugin } from "weir/plugin";

/**
 * The gateway's own echo, for a first request without an account: it responds to chat completions with the user's last
 * message, and to anything else with the request's body. It runs inside the gateway (`src/gateway/echo/`); it makes no
 * connection and no DNS query. It counts words as tokens and costs nothing.
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
