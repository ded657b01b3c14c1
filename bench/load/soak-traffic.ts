import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { WebSocket, WebSocketServer } from "ws";
import type { Upstream } from "../../test/e2e/upstream.ts";
import { callApi, gatewayHeaders, type Weir } from "../../test/e2e/weir.ts";
import { questions } from "./soak-questions.ts";
import { unifiedTraffic } from "./soak-unified.ts";
import type { TrafficKind } from "./traffic-kind.ts";

const LARGE = "the weir holds 7 m3/s ".repeat(230_000);
const REMEMBERED_MAX = 500;

export interface Traffic {
  readonly kinds: readonly TrafficKind[];
  close(): void;
}

/** Every kind of traffic, over one service and one provider. `next` gives numbers from 0 up to 1. */
export async function soakTraffic(weir: Weir, upstream: Upstream, next: () => number): Promise<Traffic> {
  const sockets = await echoSockets();
  const unified = await unifiedTraffic(weir, upstream, next);
  const recent: string[] = [];
  const pick = <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)]!;

  async function send(path: string, body: string, more: Record<string, string> = {}, expected = 200) {
    const headers = gatewayHeaders(upstream.origin, { "Content-Type": "application/json", ...more });
    const response = await fetch(weir.gateway + path, { method: "POST", headers, body });
    await response.arrayBuffer();
    if (response.status !== expected) throw new Error(`${path} answered ${response.status}, not ${expected}`);
    return remember(response.headers.get("gateway-id")!);
  }
  function remember(id: string): string {
    recent.push(id);
    if (recent.length > REMEMBERED_MAX) recent.shift();
    return id;
  }
  const chat = (more: object = {}, question = `How deep? ${Math.floor(next() * 1e9)}`) =>
    JSON.stringify({ model: "gpt-4o-mini", messages: [{ role: "user", content: question }], ...more });
  const tools = [{ type: "function", function: { name: "forecast", parameters: { type: "object" } } }];
  const labels = () => ({
    "Gateway-User-Id": `user-${Math.floor(next() * 50)}`,
    "Gateway-Session-Id": `session-${Math.floor(next() * 200)}`,
    "Gateway-Property-Team": pick(["night", "day", "weekend"]),
  });

  const kinds: readonly TrafficKind[] = [
    { name: "plain", weight: 20, run: () => send("/v1/chat/completions", chat(), labels()) },
    { name: "stream", weight: 12, run: () => send("/v1/chat/completions", chat({ stream: true }), labels()) },
    { name: "tools", weight: 8, run: () => send("/v1/chat/completions", chat({ tools }), labels()) },
    { name: "long stream", weight: 4, run: () => send("/events?n=60&ms=50", "{}") },
    { name: "5 MB up", weight: 0.3, run: () => send("/echo", LARGE, { "Content-Type": "text/plain" }) },
    { name: "5 MB down", weight: 0.3, run: () => send("/bytes?n=5000000", "{}") },
    { name: "cache", weight: 10, run: () => cached() },
    { name: "retry", weight: 3, run: () => send("/status/503", "{}", RETRY, 503) },
    { name: "refusal", weight: 3, run: () => refused() },
    { name: "leaves", weight: 3, run: () => leaves() },
    { name: "WebSocket", weight: 3, run: () => talk() },
    { name: "policy", weight: 3, run: () => limited() },
    { name: "removal", weight: 0.2, run: () => removed() },
    ...unified.kinds,
    ...questions(weir, recent, next),
  ];
  const close = () => {
    sockets.close();
    unified.close();
  };
  return { kinds, close };

  function cached(): Promise<string> {
    const question = `A question of ${Math.floor(next() * 40)}`;
    return send("/v1/chat/completions", chat({}, question), { "Gateway-Cache-Enabled": "true" });
  }
  async function refused(): Promise<string> {
    const headers = { ...gatewayHeaders("http://10.0.0.1"), "Content-Type": "application/json" };
    const response = await fetch(`${weir.gateway}/v1/x`, { method: "POST", headers, body: chat() });
    await response.arrayBuffer();
    if (response.status !== 403) throw new Error(`a closed target answered ${response.status}`);
    return remember(response.headers.get("gateway-id")!);
  }
  async function leaves(): Promise<string> {
    const away = new AbortController();
    const headers = gatewayHeaders(upstream.origin);
    const response = await fetch(`${weir.gateway}/endless`, {
      method: "POST",
      headers,
      body: "{}",
      signal: away.signal,
    });
    await response.body?.getReader().read();
    away.abort();
    return response.headers.get("gateway-id")!;
  }
  async function talk(): Promise<string> {
    const id = crypto.randomUUID();
    const headers = gatewayHeaders(sockets.origin, { "Gateway-Request-Id": id });
    const socket = new WebSocket(`ws://127.0.0.1:${weir.gatewayPort}/v1/realtime`, { headers });
    await once(socket, "open");
    for (let message = 0; message < 5; message++) {
      const received = once(socket, "message");
      socket.send(`message ${message} `.repeat(50));
      await received;
    }
    const closed = once(socket, "close");
    socket.close(1000);
    await closed;
    return id;
  }
  /** Half of them are refused: a policy of each user lets through so many. */
  async function limited(): Promise<string> {
    const policy = { ...labels(), "Gateway-RateLimit-Policy": "2;w=60;s=user, 100000;w=3600;u=cents" };
    const headers = gatewayHeaders(upstream.origin, { "Content-Type": "application/json", ...policy });
    const response = await fetch(`${weir.gateway}/v1/chat/completions`, { method: "POST", headers, body: chat() });
    await response.arrayBuffer();
    if (response.status !== 200 && response.status !== 429) throw new Error(`a policy answered ${response.status}`);
    return remember(response.headers.get("gateway-id")!);
  }
  /** Sends a request and removes it; it has no record afterwards, if it was finished by then. */
  async function removed(): Promise<undefined> {
    const id = await send("/v1/chat/completions", chat(), labels());
    recent.splice(recent.indexOf(id), 1);
    const body = JSON.stringify({ requestIds: [id] });
    const response = await callApi(weir, "/v1/request", { method: "DELETE", body });
    await response.arrayBuffer();
    if (response.status !== 200) throw new Error(`a removal answered ${response.status}`);
  }
}

const RETRY = { "Gateway-Retry-Enabled": "true", "Gateway-Retry-Num": "1", "Gateway-Retry-Min-Timeout": "10" };

/** A WebSocket server that sends back what it gets. */
async function echoSockets(): Promise<{ readonly origin: string; close(): void }> {
  const http = createServer();
  const server = new WebSocketServer({ server: http });
  server.on("connection", (socket) => socket.on("message", (data, binary) => socket.send(data, { binary })));
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  const close = () => {
    server.close();
    http.closeAllConnections();
    http.close();
  };
  return { origin: `http://127.0.0.1:${(http.address() as AddressInfo).port}`, close };
}
