import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Json } from "../../src/plugin-host/contract.ts";
import { type NameServer, startNameServer } from "../name-server.ts";
import { startUpstream, type Upstream } from "./upstream.ts";
import { callApi, gatewayHeaders, recordOf, recordsOf, runCommand, startWeir, until, type Weir } from "./weir.ts";

let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream();
  names = await startNameServer(() => ["127.0.0.1"]);
});
afterAll(() => {
  upstream?.close();
  names?.[Symbol.dispose]();
});

/** Nothing approved and nothing private open: only what the test itself decides. */
const CLOSED = { WEIR_APPROVED_DOMAINS: "", WEIR_ALLOW_PRIVATE_TARGETS: "" };
/** A name that leads to the upstream, whose address is open: nothing approves the name. */
const LIMITED = "llm.limited.test";
let names: NameServer;
const open = () => ({ WEIR_APPROVED_DOMAINS: "", WEIR_DNS_SERVERS: names.address });
const limited = () => `http://${LIMITED}:${upstream.port}`;

const send = (weir: Weir, target = upstream.origin) =>
  fetch(`${weir.gateway}/v1/x`, { headers: gatewayHeaders(target), keepalive: false });

async function api(weir: Weir, method: string, path: string, body?: Json) {
  const response = await callApi(weir, path, { method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
  const { data, message }: Json = await response.json();
  return { status: response.status, data, message };
}

test("one request per second of a burst to an unapproved domain passes; refusals are recorded and name the rule", async () => {
  await using weir = await startWeir({ env: open() });
  const startedAt = performance.now();
  const responses = await Promise.all(Array.from({ length: 20 }, () => send(weir, limited())));
  const refused = responses.filter(({ status }) => status === 429);
  const passed = responses.filter(({ status }) => status === 200).length;
  // One, and one more for each second that a busy machine took for the burst.
  expect(passed).toBeWithin(1, 2 + Math.floor((performance.now() - startedAt) / 1_000));
  expect(refused).toHaveLength(20 - passed);
  expect(refused[0]!.headers.get("retry-after")).toBe("1");
  const { error } = (await refused[0]!.json()) as Json;
  expect(error).toMatchObject({ type: "gateway_error", code: "rate_limited" });
  expect(error.message).toContain(
    `limited to 1 request per second. Retry in 1 s. Approve it: weir domains approve ${LIMITED}, or`,
  );
  const records = await recordsOf(
    weir,
    responses.map(({ headers }) => headers.get("gateway-id")!),
  );
  expect(records.filter(({ response_status }) => response_status === 429)).toHaveLength(20 - passed);
  const { data } = await api(weir, "GET", "/v1/domains");
  const row = data.find(({ domain }: Json) => domain === LIMITED);
  expect(row).toMatchObject({ state: "unapproved", requests_today: passed, remaining_today: 10_000 - passed });
  expect(data.find(({ domain }: Json) => domain === "api.openai.com")).toMatchObject({
    state: "approved",
    remaining_today: null,
  });
});

test("a private target that the configuration opens is approved, by address and as a name of this machine", async () => {
  await using weir = await startWeir({
    env: { WEIR_APPROVED_DOMAINS: "", WEIR_ALLOW_PRIVATE_TARGETS: `127.0.0.0/8:${upstream.port}` },
  });
  const localhost = `http://localhost:${upstream.port}`;
  const targets = [upstream.origin, localhost, upstream.origin, localhost, upstream.origin, localhost];
  const responses = await Promise.all(targets.map((target) => send(weir, target)));
  expect(responses.map(({ status }) => status)).toEqual(targets.map(() => 200));
  const { data } = await api(weir, "GET", "/v1/domains/127.0.0.1");
  expect(data).toMatchObject({ state: "approved", source: "configuration", remaining_today: null });
  // A decision has precedence over the configuration.
  await api(weir, "POST", "/v1/domains/127.0.0.1/revoke");
  const later = await Promise.all(Array.from({ length: 20 }, () => send(weir)));
  expect(new Set(later.map(({ status }) => status))).toEqual(new Set([200, 429]));
});

test("counts and decisions outlive a kill", async () => {
  const env = open();
  const first = await startWeir({ env });
  const id = (await send(first, limited())).headers.get("gateway-id")!;
  await first.kill();
  const second = await startWeir({ env, dataDirectory: first.dataDirectory });
  const row = async (weir: Weir) => (await api(weir, "GET", `/v1/domains/${LIMITED}`)).data;
  expect(await row(second)).toMatchObject({ state: "unapproved", requests_today: 1 });
  expect((await recordOf(second, id))["response_status"]).toBe(200);
  await api(second, "POST", `/v1/domains/${LIMITED}/deny`);
  await second.kill();
  await using third = await startWeir({ env, dataDirectory: first.dataDirectory });
  expect(await row(third)).toMatchObject({ state: "denied" });
  const denied = await send(third, limited());
  expect(denied.status).toBe(403);
  const message = `the domain ${LIMITED} is denied here; an admin can approve it: weir domains approve ${LIMITED}`;
  expect(((await denied.json()) as Json).error).toMatchObject({ code: "target_forbidden", message });
});

test("the command line decides while the service runs, soon effective", async () => {
  await using weir = await startWeir({ env: CLOSED });
  expect((await send(weir)).status).toBe(403);
  const run = async (...words: string[]) => {
    const { status, stdout, stderr } = await runCommand(weir.env, "domains", ...words);
    expect([status, stderr]).toEqual([0, status === 0 ? stderr : ""]);
    return stdout;
  };
  const becomes = (status: number) =>
    until(
      async () => (await send(weir)).status === status,
      180_000,
      () => `no ${status}`,
    );
  await run("approve", "127.0.0.1", "--private");
  await becomes(200);
  expect((await send(weir)).status).toBe(200);
  await run("deny", "127.0.0.1");
  await becomes(403);
  const rows: Json[] = JSON.parse(await run("list", "--json"));
  expect(rows.find(({ domain }) => domain === "127.0.0.1")).toMatchObject({
    state: "denied",
    requests_today: expect.any(Number),
  });
  expect((await runCommand(weir.env, "domains", "revoke", "127.0.0.1")).status).toBe(1);
  expect((await runCommand(weir.env, "domains", "approve", "http://x")).stderr).toContain("a domain is a host name");
});

test("a personal deployment proves its domain by DNS", async () => {
  const texts: string[][] = [];
  using names = await startNameServer(
    () => [],
    (name) => (name === "_weir-challenge.llm.acme.test" ? texts : []),
  );
  await using weir = await startWeir({ env: { ...CLOSED, WEIR_DNS_SERVERS: names.address } });
  const verify = () => api(weir, "POST", "/v1/domains/LLM.acme.test/verify");
  expect((await verify()).status).toBe(404);
  const requested = await api(weir, "POST", "/v1/domains/approval-requests", {
    domain: "llm.Acme.test",
    personal: true,
  });
  const { txt_name, txt_value } = requested.data;
  expect([requested.status, txt_name, requested.data.state]).toEqual([200, "_weir-challenge.llm.acme.test", "pending"]);
  expect((await verify()).status).toBe(409);
  texts.push(["v=spf1 -all"]);
  expect((await verify()).message).toEndWith("does not have the value yet: it holds another text");
  texts.push([`not-${txt_value}`]);
  expect((await verify()).message).toEndWith("does not have the value yet: it holds 2 other texts");
  expect(names.queries).toContain("TXT _weir-challenge.llm.acme.test");
  // A value may come in parts.
  texts.push([txt_value.slice(0, 5), txt_value.slice(5)]);
  expect(await verify()).toMatchObject({ status: 200, data: { state: "approved", domain: "llm.acme.test" } });
  const again = await verify();
  expect([again.status, again.message]).toEqual([409, "llm.acme.test is approved already"]);
  expect((await api(weir, "GET", "/v1/domains/llm.acme.test")).data.history.map(({ action }: Json) => action)).toEqual([
    "request",
    "prove",
  ]);
});

test("permissions for domains follow the key's scopes", async () => {
  await using weir = await startWeir();
  const keyOf = async (scopes: string) =>
    (await runCommand(weir.env, "keys", "create", "--name", scopes, "--scopes", scopes)).stdout.trim();
  const [read, write] = [await keyOf("read"), await keyOf("read,write")];
  const status = async (method: string, path: string, key: string, body?: Json) =>
    (await callApi(weir, path, { method, ...(body && { body: JSON.stringify(body) }) }, key)).status;
  const request = { domain: "a.test", company: "Acme" };
  await until(
    async () => (await status("GET", "/v1/domains", write)) === 200,
    180_000,
    () => "the key is not known",
  );
  expect(await status("GET", "/v1/domains", read)).toBe(200);
  expect(await status("POST", "/v1/domains/approval-requests", read, request)).toBe(403);
  expect(await status("POST", "/v1/domains/approval-requests", write, request)).toBe(200);
  for (const action of ["approve", "deny", "revoke"])
    expect(await status("POST", `/v1/domains/a.test/${action}`, write)).toBe(403);
  expect((await api(weir, "POST", "/v1/domains/a.test/approve")).data.state).toBe("approved");
  const described = (await (await fetch(`${weir.api}/openapi.json`)).json()) as Json;
  expect(Object.keys(described.paths)).toContain("/v1/domains/{domain}/verify");
});
