import http from "node:http";
import https from "node:https";
import { type Config, schemeOf } from "../../config.ts";

const RESPONSE_MS = 5_000;
const RESPONSE_BYTES_MAX = 1024 * 1024;

/** The state reported by a running service. */
export type Readiness =
  | { readonly state: "ready" | "not ready"; readonly address: string; readonly degraded: readonly string[] }
  | { readonly state: "no response"; readonly address: string; readonly why: string };

/** Calls `/readyz` of the service of this configuration, on this machine. Never rejects. */
export function askReadiness(config: Pick<Config, "host" | "api_port" | "tls_cert_file">): Promise<Readiness> {
  const { host, api_port: port } = config;
  const scheme = schemeOf(config);
  const reachable = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host;
  const address = `${scheme}://${reachable.includes(":") ? `[${reachable}]` : reachable}:${port}/readyz`;
  return new Promise((resolve) => {
    const none = (why: string) => resolve({ state: "no response", address, why });
    if (port === 0) return none("api_port is 0, so its port is unknown");
    // The certificate is for another host than loopback, and may be private; nothing secret is sent.
    const where = {
      host: reachable,
      port,
      path: "/readyz",
      agent: false,
      timeout: RESPONSE_MS,
      rejectUnauthorized: false,
    };
    const sent = (scheme === "https" ? https : http).request(where, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => {
        if (text.length < RESPONSE_BYTES_MAX) text += chunk;
      });
      response.on("error", (error) => none(error.message));
      response.on("end", () => {
        const degraded = degradedIn(text);
        if (degraded === undefined) none(`another program responds there, with status ${response.statusCode}`);
        else resolve({ state: response.statusCode === 200 ? "ready" : "not ready", address, degraded });
      });
    });
    sent.on("timeout", () => sent.destroy(new Error(`nothing within ${RESPONSE_MS / 1_000} s`)));
    sent.on("error", (error: NodeJS.ErrnoException) => none(error.code ?? error.message));
    sent.end();
  });
}

function degradedIn(text: string): readonly string[] | undefined {
  try {
    const { degraded } = JSON.parse(text) as { degraded?: unknown };
    return Array.isArray(degraded) ? degraded.map(String) : undefined;
  } catch {
    return undefined; // not JSON: it is not the service
  }
}
