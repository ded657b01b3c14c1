import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Json } from "../../src/plugin-host/contract.ts";
import type { Upstream } from "../../test/e2e/upstream.ts";
import { callApi, KEY, type Weir } from "../../test/e2e/weir.ts";
import type { TrafficKind } from "./traffic-kind.ts";

/** Conversations that grow at once, and turns of each before another begins in its place. */
const CONVERSATIONS = 20;
const TURNS_MAX = 12;
/** What each turn of a conversation adds: enough to be cut by content, and to be found again in a pack. */
const TURN = "The gate was raised by four centimetres at dawn, and the gauge below it followed. ".repeat(40);

interface Conversation {
  readonly name: string;
  readonly messages: { readonly role: string; readonly content: string }[];
  previous: string | undefined;
}

/** The kinds of traffic of the unified address, the playground among them. `next` gives numbers from 0 up to 1. */
export async function unifiedTraffic(weir: Weir, upstream: Upstream, next: () => number) {
  const down = await unavailable();
  const v1 = `${upstream.origin}/v1`;
  await addCredential({ provider: "groq", base_url: v1 });
  await addCredential({ provider: "anthropic", base_url: upstream.origin });
  await addCredential({ provider: "mistral", base_url: down.origin });
  const cookie = await logIn();
  const begin = (): Conversation => ({ name: crypto.randomUUID(), messages: [], previous: undefined });
  const conversations = Array.from({ length: CONVERSATIONS }, begin);
  const question = () => [{ role: "user", content: `How deep is it at gauge ${Math.floor(next() * 1e9)}?` }];
  const tools = [{ type: "function", function: { name: "forecast", parameters: { type: "object" } } }];

  const key = { Authorization: `Bearer ${KEY}` };
  async function ask(path: string, body: object, headers: Record<string, string> = key, base = `${weir.gateway}/v1`) {
    const response = await fetch(`${base}/${path}`, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...headers },
      body: JSON.stringify({ max_tokens: 200, ...body }),
    });
    const text = await response.text();
    if (response.status !== 200) throw new Error(`${path} answered ${response.status}: ${text.slice(0, 200)}`);
    return { id: response.headers.get("gateway-id")!, text };
  }
  const chat = async (model: string, more: object = {}, headers = {}) =>
    (await ask("chat/completions", { model, messages: question(), ...more }, { ...key, ...headers })).id;

  const kinds: readonly TrafficKind[] = [
    { name: "unified", weight: 10, run: () => chat("groq/m-1") },
    { name: "unified stream", weight: 6, run: () => chat("groq/m-1", { stream: true }) },
    { name: "translated", weight: 6, run: () => chat("anthropic/claude-1") },
    { name: "translated stream", weight: 4, run: () => chat("anthropic/claude-1", { stream: true, tools }) },
    { name: "failing over", weight: 3, run: () => chat("mistral/m-1,groq/m-1") },
    { name: "unified cache", weight: 3, run: cached },
    { name: "conversation", weight: 6, run: conversation },
    { name: "earlier response", weight: 3, run: earlierResponse },
    { name: "playground", weight: 2, run: playground },
  ];
  return { kinds, close: () => down.close() };

  function cached(): Promise<string> {
    const messages = [{ role: "user", content: `A question of ${Math.floor(next() * 40)}` }];
    return chat("anthropic/claude-1", { messages }, { "Gateway-Cache-Enabled": "true" });
  }
  /** A turn more of one of the conversations; each sends all turns before it again. */
  async function conversation(): Promise<string> {
    const at = Math.floor(next() * CONVERSATIONS);
    if (conversations[at]!.messages.length >= 2 * TURNS_MAX) conversations[at] = begin();
    const { name, messages } = conversations[at]!;
    messages.push({ role: "user", content: `${messages.length} ${next()} ${TURN}` });
    const headers = { ...key, "Gateway-Session-Id": name };
    const { id } = await ask("chat/completions", { model: "groq/m-1", messages }, headers);
    messages.push({ role: "assistant", content: `It is deep. ${id}` });
    return id;
  }
  /** A turn that names the one before it; Weir reads that from its records. */
  async function earlierResponse(): Promise<string> {
    const at = Math.floor(next() * CONVERSATIONS);
    const { previous } = conversations[at]!;
    const body = { model: "anthropic/claude-1", input: question(), max_tokens: undefined };
    const { id, text } = await ask("responses", { ...body, ...(previous && { previous_response_id: previous }) });
    conversations[at]!.previous = next() < 1 / TURNS_MAX ? undefined : (JSON.parse(text) as Json).id;
    return id;
  }
  async function playground(): Promise<string> {
    const headers = { cookie, "sec-fetch-site": "same-origin", origin: weir.api };
    const body = { model: "anthropic/claude-1", messages: question(), stream: true };
    return (await ask("chat/completions", body, headers, `${weir.api}/v1/playground`)).id;
  }
  async function addCredential(values: { readonly provider: string; readonly base_url: string }): Promise<void> {
    const body = JSON.stringify({ name: `soak-${values.provider}`, api_key: "k", private: true, ...values });
    const response = await callApi(weir, "/v1/credentials", { method: "POST", body });
    if (!response.ok) throw new Error(`the credential was refused: ${await response.text()}`);
  }
  async function logIn(): Promise<string> {
    const response = await callApi(weir, "/v1/session", { method: "POST", body: JSON.stringify({ key: KEY }) });
    if (!response.ok) throw new Error(`the log-in was refused: ${await response.text()}`);
    return response.headers.get("set-cookie")!.split(";")[0]!;
  }
}

/** A provider that sends a 503 to every request. */
async function unavailable(): Promise<{ readonly origin: string; close(): void }> {
  const http = createServer((request, response) => {
    request.resume();
    response.writeHead(503, { "content-type": "application/json" }).end('{"error":{"message":"overloaded"}}');
  });
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  const close = () => {
    http.closeAllConnections();
    http.close();
  };
  return { origin: `http://127.0.0.1:${(http.address() as AddressInfo).port}`, close };
}
