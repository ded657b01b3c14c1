import { afterAll, beforeAll, expect, test } from "bun:test";
import { KEY, startWeir, type Weir } from "../e2e/weir.ts";
import { expectRecords } from "./independent.ts";
import { type ApiRecord, HOSTILE, lasting } from "./records.ts";
import { makeFolder, run } from "./run-in-test.ts";

let weir: Weir;
let upstream: ReturnType<typeof Bun.serve>;
let records: ApiRecord[];

/** Records that went through the real gateway, whose bodies and properties have text that breaks careless exporters. */
beforeAll(async () => {
  upstream = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async (request) => {
      const { messages } = (await request.json()) as { messages: { content: string }[] };
      const message = { role: "assistant", content: messages[0]?.content };
      const usage = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 };
      return Response.json({
        id: "c-1",
        object: "chat.completion",
        model: "m-1",
        choices: [{ index: 0, message }],
        usage,
      });
    },
  });
  weir = await startWeir();
  for (const [index, text] of HOSTILE.entries()) {
    const id = await send(text, index);
    const properties = { "Note, odd": text.toWellFormed(), Team: index % 2 === 0 ? "night" : "day" };
    await ask("PUT", `/v1/request/${id}/property`, properties);
  }
  const question = {
    filter: "all",
    sort: { created_at: "asc" },
    limit: 1000,
    includeInputs: true,
    includeProviderBodies: true,
  };
  records = (await ask("POST", "/v1/request/query-fast", question)) as ApiRecord[];
}, 300_000);

afterAll(async () => {
  await weir.stop();
  await upstream.stop(true);
});

async function send(content: string, index: number): Promise<string> {
  const response = await fetch(`${weir.gateway}/v1/chat/completions`, {
    method: "POST",
    headers: {
      "Gateway-Auth": `Bearer ${KEY}`,
      "Gateway-Target-Url": `http://127.0.0.1:${upstream.port}`,
      "Gateway-User-Id": `=user ${index % 3}`,
      "Gateway-Prompt-Input-City": `Lyon ${index}`,
      "content-type": "application/json",
    },
    body: JSON.stringify({ model: "m-1", messages: [{ role: "user", content }] }),
  });
  await response.text();
  return response.headers.get("gateway-id") ?? "";
}

async function ask(method: string, path: string, body: object): Promise<unknown> {
  const headers = { authorization: `Bearer ${KEY}`, "content-type": "application/json" };
  const response = await fetch(weir.api + path, { method, headers, body: JSON.stringify(body) });
  const { data, error } = (await response.json()) as { data: unknown; error: unknown };
  expect({ path, error }).toEqual({ path, error: null });
  return data;
}

const env = { WEIR_API_KEY: KEY };

test.each(["jsonl", "json", "csv", "parquet"])("%s from the service is what its API says", async (format) => {
  expect(records.length).toBe(HOSTILE.length);
  expect(records[3]?.["prompt_inputs"]).toEqual({ City: "Lyon 3" });
  for (const more of [[], ["--include-body"]]) {
    const { status, stdout, stderr } = await run(weir.api, ["--format", format, "--output", "-", ...more], {}, env);
    expect({ status, stderr }).toMatchObject({ status: 0 });
    const expected = records.map((record) => lasting(record, more.length > 0));
    await expectRecords(format, stdout, expected, ["Note, odd", "Team"]);
  }
});

test("filters, properties, dates and limits select what the API selects", async () => {
  const ids = async (...argv: string[]) => {
    const { stdout, stderr } = await run(weir.api, ["--output", "-", ...argv], {}, env);
    expect(stderr).not.toContain("failed");
    return stdout
      .toString()
      .split("\n")
      .slice(0, -1)
      .map((line) => (JSON.parse(line) as ApiRecord).request_id);
  };
  const all = records.map(({ request_id }) => request_id);
  const having = (test: (record: ApiRecord) => boolean) => records.filter(test).map(({ request_id }) => request_id);
  const [, second] = records;
  expect(await ids()).toEqual(all);
  expect(await ids("--order", "desc")).toEqual(all.toReversed());
  expect(await ids("--limit", "5")).toEqual(all.slice(0, 5));
  expect(await ids("--property", "Team=day")).toEqual(having(({ properties }) => properties["Team"] === "day"));
  expect(await ids("--property", "Team=day", "--property", "Note, odd=@SUM(A1)")).toEqual(
    having(({ properties }) => properties["Team"] === "day" && properties["Note, odd"] === "@SUM(A1)"),
  );
  expect(await ids("--filter", '{"request_response_rmt":{"user_id":{"equals":"=user 1"}}}')).toEqual(
    having((record) => record["request_user_id"] === "=user 1"),
  );
  expect(await ids("--start-date", second?.request_created_at ?? "")).toEqual(
    having(({ request_created_at }) => request_created_at >= (second?.request_created_at ?? "")),
  );
  expect(await ids("--end-date", second?.request_created_at ?? "")).toEqual(
    having(({ request_created_at }) => request_created_at <= (second?.request_created_at ?? "")),
  );
  expect(await ids("--end-date", new Date().toISOString().slice(0, 10))).toEqual(all);
});

test("a search exports what the list's search finds, newest first, with filters, and refuses what that refuses", async () => {
  const found = async (search: string) => {
    const body = { filter: "all", limit: 1000, search, includeBody: false };
    const rows = (await ask("POST", "/v1/request/query-fast", body)) as ApiRecord[];
    return rows.map(({ request_id }) => request_id);
  };
  const exported = async (...argv: string[]) => {
    const { status, stdout, stderr } = await run(weir.api, ["--output", "-", ...argv], {}, env);
    expect({ status, stderr }).toMatchObject({ status: 0 });
    const lines = stdout.toString().split("\n").slice(0, -1);
    return lines.map((line) => (JSON.parse(line) as ApiRecord).request_id);
  };
  for (const search of ["plain", "lines", 'quot* "word"', "漢字", "nothingsaidthis"]) {
    expect(await exported("--search", search)).toEqual(await found(search));
  }
  const lines = await found("lines");
  expect(lines.length).toBeGreaterThan(1);
  expect(await exported("--search", "lines", "--limit", "1")).toEqual(lines.slice(0, 1));
  const night = records.filter(({ properties }) => properties["Team"] === "night").map(({ request_id }) => request_id);
  expect(await exported("--search", "lines", "--property", "Team=night")).toEqual(
    lines.filter((id) => night.includes(id)),
  );
  const refused = await run(weir.api, ["--output", "-", "--search", "…"], {}, env);
  expect(refused).toMatchObject({ status: 2, stderr: expect.stringContaining("at least one letter or digit") });
});

test.each([
  ["an unknown field", '{"request_response_rmt":{"latencyy":{"gte":1}}}', [], "request_response_rmt.latencyy"],
  [
    "the same together with properties",
    '{"request_response_rmt":{"latencyy":{"gte":1}}}',
    ["a=1", "b=2"],
    "request_response_rmt.latencyy",
  ],
  ["what can be counted but not paged", '{"request":{"model":{"equals":"m-1"}}}', [], "request"],
])("a filter with %s is refused by its place in it, and leaves no file", async (_name, filter, properties, place) => {
  await using folder = await makeFolder();
  const output = folder.file("out.jsonl");
  const argv = ["--output", output, "--filter", filter, ...properties.flatMap((each) => ["--property", each])];
  const { status, stderr } = await run(weir.api, argv, {}, env);
  expect(status).toBe(2);
  expect(stderr).toMatch(/status 400: .*\n$/);
  expect(stderr.trimEnd().endsWith(` at filter.${place}`)).toBe(true);
  expect(await Bun.file(output).exists()).toBe(false);
});

test("a warning of the service is printed: a name in another spelling, a property filter that is not wrapped", async () => {
  const spelt = await run(weir.api, ["--output", "-", "--property", "team=day"], {}, env);
  expect(spelt).toMatchObject({ status: 0, stderr: expect.stringMatching(/warning: .*"team".*there is "Team"\n$/) });
  const bare = ["--output", "-", "--filter", '{"properties":{"Team":{"equals":"day"}}}'];
  expect((await run(weir.api, bare, {}, env)).stderr).toMatch(/warning: .*unless it is wrapped/);
});
