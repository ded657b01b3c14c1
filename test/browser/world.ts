import { startUpstream, type Upstream } from "../e2e/upstream.ts";
import { callApi, gatewayHeaders, recordsOf, type Weir } from "../e2e/weir.ts";

/** What somebody might put into every name that they can choose: it would run, and is too long for any line. */
export const HOSTILE = `<img src=x onerror="alert(1)"><script>alert(2)</script>${"x".repeat(120)}`;

export interface World extends AsyncDisposable {
  readonly upstream: Upstream;
  /** Ids of the requests, in the order in which they were made. */
  readonly ids: readonly string[];
}

interface Sent {
  readonly model?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends one request through the gateway. @returns its id. */
export async function send(weir: Weir, upstream: Upstream, sent: Sent = {}): Promise<string> {
  const { model = "gpt-4o-mini", path = "/v1/chat/completions", headers = {} } = sent;
  const response = await fetch(weir.gateway + path, {
    method: "POST",
    headers: {
      ...gatewayHeaders(upstream.origin, { "Gateway-Target-Provider": "OPENAI" }),
      "content-type": "application/json",
      ...headers,
    },
    body: JSON.stringify({ model, messages: [{ role: "user", content: `how deep is it, ${model}?` }] }),
  });
  await response.arrayBuffer();
  return response.headers.get("gateway-id")!;
}

/** A little traffic: two users, a session with paths, a failure, cache hits, and names that would like to run. */
export async function fillWorld(weir: Weir): Promise<World> {
  const upstream = await startUpstream();
  const session = (path: string) => ({
    "Gateway-Session-Id": `s ${HOSTILE}`,
    "Gateway-Session-Name": HOSTILE,
    "Gateway-Session-Path": path,
  });
  const plan: readonly Sent[] = [
    { headers: { "Gateway-User-Id": HOSTILE, "Gateway-Property-Team": HOSTILE, ...session("/plan") } },
    { headers: { "Gateway-User-Id": "ada", "Gateway-Property-Team": "night", ...session("/plan/search") } },
    { headers: { "Gateway-User-Id": "ada", "Gateway-Property-Team": "day" } },
    { model: HOSTILE, headers: { "Gateway-User-Id": "ada" } },
    { path: "/status/500", model: "gpt-4o", headers: session("/answer") },
    { path: "/status/200", model: `strange ${HOSTILE}` },
    { headers: { "Gateway-Cache-Enabled": "true" } },
    { headers: { "Gateway-Cache-Enabled": "true" } },
  ];
  const ids: string[] = [];
  for (const each of plan) ids.push(await send(weir, upstream, each));
  await recordsOf(weir, ids);
  await callApi(weir, `/v1/request/${ids[0]}/property`, {
    method: "PUT",
    body: JSON.stringify({ [HOSTILE]: "value" }),
  });
  return { upstream, ids, [Symbol.asyncDispose]: async () => upstream.close() };
}

/** The `data` of a call to the API. */
export async function ask<T>(weir: Weir, method: string, path: string, body?: unknown): Promise<T> {
  const response = await callApi(weir, path, { method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
  const { data, message } = (await response.json()) as { data: T; message?: string };
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${message}`);
  return data;
}
