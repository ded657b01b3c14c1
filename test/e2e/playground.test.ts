import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Json } from "../../src/plugin-host/contract.ts";
import { callApi, KEY, recordOf, startWeir, until, type Weir } from "./weir.ts";

/** What the provider got, and how many of its streams were left. */
const requests: { readonly headers: Headers; readonly body: Json }[] = [];
let left = 0;
const provider = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  async fetch(request) {
    if (request.method === "GET") return Response.json({ data: [] }); // what it lists
    const body = (await request.json()) as Json;
    requests.push({ headers: request.headers, body });
    const chunk = (content: string) =>
      `data: {"id":"c","model":"m","choices":[{"index":0,"delta":{"content":"${content}"}}]}\n\n`;
    if (body.stream !== true)
      return new Response("<script>", { headers: { "content-type": "text/html", "set-cookie": "a=b", refresh: "0" } });
    const isEndless = body.model === "endless";
    async function* events() {
      yield chunk("one");
      try {
        while (isEndless) {
          yield chunk("more");
          await Bun.sleep(5);
        }
      } finally {
        if (isEndless) left++;
      }
      yield "data: [DONE]\n\n";
    }
    return new Response(events as never, { headers: { "content-type": "text/event-stream" } });
  },
});

let weir: Weir;
let cookie: string;
beforeAll(async () => {
  weir = await startWeir({ env: { WEIR_GATEWAY_THREADS: "2" } });
  const origin = `http://127.0.0.1:${provider.port}`;
  const credential = { provider: "custom", name: "box", api_key: "secret-of-box", base_url: origin, private: true };
  await callApi(weir, "/v1/credentials", { method: "POST", body: JSON.stringify(credential) });
  cookie = await logIn(KEY);
});
afterAll(async () => {
  await weir?.[Symbol.asyncDispose]();
  await provider.stop(true);
});

async function logIn(key: string): Promise<string> {
  const response = await fetch(`${weir.api}/v1/session`, {
    method: "POST",
    body: JSON.stringify({ key }),
    headers: { "content-type": "application/json" },
  });
  return response.headers.get("set-cookie")!.split(";")[0]!;
}

/** As the dashboard's page sends it; a header that is empty is left out. */
function attempt(body: object, headers: Readonly<Record<string, string>> = {}, more: RequestInit = {}) {
  const all = { cookie, "content-type": "application/json", "sec-fetch-site": "same-origin", ...headers };
  return fetch(`${weir.api}/v1/playground/chat/completions`, {
    method: "POST",
    headers: Object.entries(all).filter(([, value]) => value !== "") as [string, string][],
    body: JSON.stringify({ model: "custom/m", messages: [{ role: "user", content: "hello" }], ...body }),
    ...more,
  });
}

test("a logged-in user tries a model without a key; the record is an ordinary one, with a label", async () => {
  const content = "x".repeat(3_000_000);
  const messages = [{ role: "user", content }];
  const response = await attempt(
    { stream: true, messages },
    { origin: weir.api, referer: `${weir.api}/playground`, "gateway-user-id": "ada" },
  );
  expect([response.status, response.headers.get("gateway-provider")]).toEqual([200, "CUSTOM"]);
  expect(await response.text()).toContain('"content":"one"');
  const { headers, body } = requests.at(-1)!;
  expect(body.messages).toEqual(messages);
  expect(headers.get("authorization")).toBe("Bearer secret-of-box");
  expect(["cookie", "origin", "referer", "sec-fetch-site"].map((name) => headers.get(name))).toEqual([
    null,
    null,
    null,
    null,
  ]);
  expect(await recordOf(weir, response.headers.get("gateway-id")!)).toMatchObject({
    properties: { Playground: "yes" },
    request_user_id: "ada",
    gateway_user: "first key",
    credential: "box",
    request_path: "/v1/chat/completions",
    response_status: 200,
  });
}, 300_000);

test("a response that is a page of a provider's runs and sets nothing at the dashboard's address", async () => {
  const response = await attempt({});
  expect(response.headers.get("content-security-policy")).toBe("default-src 'none'; sandbox");
  expect([response.headers.get("set-cookie"), response.headers.get("refresh")]).toEqual([null, null]);
});

test("a browser that leaves ends the provider's stream", async () => {
  const browser = new AbortController();
  const response = await attempt({ model: "custom/endless", stream: true }, {}, { signal: browser.signal });
  await response.body!.getReader().read();
  browser.abort();
  await until(
    () => left === 1,
    180_000,
    () => "the provider is left",
  );
  expect(await recordOf(weir, response.headers.get("gateway-id")!)).toMatchObject({ outcome: "client_gone" });
}, 300_000);

test.each([
  ["another site's page", { "sec-fetch-site": "cross-site" }, "cross_site_request"],
  ["nothing that says where it is from", { "sec-fetch-site": "" }, "cross_site_request"],
])("%s sends nothing with a log-in", async (_from, headers, code) => {
  const before = requests.length;
  const response = await attempt({}, headers);
  expect([response.status, ((await response.json()) as Json).code]).toEqual([403, code]);
  expect(requests.length).toBe(before);
});

test("a key without the scope gateway tries nothing, and one for other models is refused as at the gateway", async () => {
  const make = async (key: object) => {
    const made = await callApi(weir, "/v1/keys", { method: "POST", body: JSON.stringify(key) });
    return logIn(((await made.json()) as Json).data.key);
  };
  const reader = await attempt({}, { cookie: await make({ name: "reader", scopes: ["read"] }) });
  expect([reader.status, ((await reader.json()) as Json).code]).toEqual([403, "insufficient_permission"]);
  const few = { name: "few", scopes: ["gateway", "read"], models: ["openai/*"] };
  const other = await attempt({}, { cookie: await make(few), "gateway-auth": `Bearer ${KEY}` });
  expect([other.status, ((await other.json()) as Json).error.code]).toEqual([403, "model_forbidden"]);
}, 300_000);
