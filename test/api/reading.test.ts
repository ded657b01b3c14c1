import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createHash, randomUUID } from "node:crypto";
import { until } from "../until.ts";
import { insertInto, insertRecord, openApi, type TestApi } from "./open.ts";

let it: TestApi;
beforeAll(async () => {
  it = await openApi();
});
afterAll(async () => {
  await it[Symbol.asyncDispose]();
});

const byIds = (requestIds: string[], more: object = {}) =>
  it.call("POST", "/v1/request/query-ids", { key: it.keys.read, body: { requestIds, ...more } });
const json = (value: unknown) => ({ form: "json", content: JSON.stringify(value) });

describe("reading by ids", () => {
  test("keeps the requested order, takes either case, returns each once, and omits unknown ids", async () => {
    const [a, b, c] = [
      await insertRecord(it.store, it.organization),
      await insertRecord(it.store, it.organization),
      await insertRecord(it.store, it.organization),
    ];
    const ids = [c!, randomUUID(), a!.toUpperCase(), b!, a!];
    const { status, json } = await byIds(ids, { includeBody: false });
    expect(status).toBe(200);
    expect(json.error).toBeNull();
    expect(json.data.map((record: { request_id: string }) => record.request_id)).toEqual([c, a, b]);
  });

  test("accepts a thousand ids and no more", async () => {
    const ids = Array.from({ length: 1_000 }, () => randomUUID());
    expect((await byIds(ids)).json).toEqual({ data: [], error: null });
    expect((await byIds([...ids, randomUUID()])).json).toMatchObject({ error: 400, path: "requestIds" });
    expect((await byIds([])).json).toEqual({ data: [], error: null });
  });

  test("shows no records of another organization", async () => {
    const mine = await insertRecord(it.store, it.organization, {}, { request: json("secret") });
    const { key } = { key: it.keys.other };
    expect((await it.call("POST", "/v1/request/query-ids", { key, body: { requestIds: [mine] } })).json.data).toEqual(
      [],
    );
    for (const path of ["", "/body", "/body?part=request&raw=true", "/assets/x"]) {
      expect((await it.call("GET", `/v1/request/${mine}${path}`, { key })).status).toBe(404);
    }
    for (const [method, path, body] of [
      ["PUT", "property", { A: "x" }],
      ["POST", "score", { scores: { a: 1 } }],
      ["POST", "feedback", { rating: true }],
    ] as const) {
      expect((await it.call(method, `/v1/request/${mine}/${path}`, { key, body })).status).toBe(404);
    }
  });
});

describe("a record", () => {
  test("has every member of the specification, null where nothing is known", async () => {
    const id = await insertRecord(it.store, it.organization, { response_status: null });
    const { json } = await it.call("GET", `/v1/request/${id}`, { key: it.keys.read });
    const members = `response_id response_created_at response_status response_model request_id request_created_at
      request_body request_path request_user_id request_properties request_model model_override gateway_user provider
      delay_ms time_to_first_token total_tokens prompt_tokens prompt_cache_write_tokens prompt_cache_read_tokens
      completion_tokens prompt_audio_tokens completion_audio_tokens cost prompt_id prompt_version llmSchema country_code
      asset_ids asset_urls scores properties assets target_url model cache_reference_id cache_enabled
      ai_gateway_body_mapping response_body feedback_created_at feedback_id feedback_rating signed_body_url costUSD
      updated_at request_referrer storage_location organization_id session_id session_name session_path
      reasoning_tokens size_bytes streamed truncated usage_estimated threat is_passthrough_billing cost_source
      auth_hash input output`.split(/\s+/);
    expect(Object.keys(json.data)).toEqual(expect.arrayContaining(members));
    expect(json.data).toMatchObject({
      request_id: id,
      organization_id: it.organization,
      request_created_at: "2026-01-01T12:00:00.123Z",
      response_created_at: null,
      response_status: null,
      prompt_tokens: null,
      cost: null,
      costUSD: null,
      request_body: null,
      response_body: null,
      llmSchema: null,
      properties: {},
      assets: [],
      streamed: false,
      threat: null,
      cache_enabled: false,
      feedback_rating: null,
      storage_location: "libsql",
    });
  });

  test("shows stored values in their own types", async () => {
    const id = await insertRecord(it.store, it.organization, {
      response_created_at: Date.UTC(2026, 0, 1, 12, 0, 1, 5),
      response_status: 200,
      cost: 0.00125,
      delay_ms: 12.5,
      threat: 0,
      cached: 1,
      truncated: 1,
      user_id: "u",
      properties: '{"Team":"café 漢","__proto__":"x"}',
      prompt_inputs: '{"name":"Ada"}',
      scores: '{"helpful":1,"a":0.5}',
      feedback_id: 12,
      feedback_rating: 0,
      feedback_created_at: Date.UTC(2026, 0, 2),
    });
    const { json } = await byIds([id], { includeInputs: true });
    const [record] = json.data;
    expect(record).toMatchObject({
      response_created_at: "2026-01-01T12:00:01.005Z",
      response_status: 200,
      cost: 0.00125,
      costUSD: 0.00125,
      delay_ms: 12.5,
      threat: false,
      cached: true,
      truncated: true,
      request_user_id: "u",
      scores: { helpful: 1, a: 0.5 },
      feedback_id: "12",
      feedback_rating: false,
      feedback_created_at: "2026-01-02T00:00:00.000Z",
      prompt_inputs: { name: "Ada" },
    });
    expect(JSON.stringify(record.properties)).toBe('{"Team":"café 漢","__proto__":"x"}');
    expect(record.request_properties).toEqual(record.properties);
    expect("prompt_inputs" in (await byIds([id])).json.data[0]).toBe(false);
  });

  test("leaves bodies and llmSchema out where they are not wanted", async () => {
    const id = await insertRecord(it.store, it.organization, {}, { request: json({ a: 1 }) });
    const [record] = (await byIds([id], { includeBody: false })).json.data;
    for (const name of ["request_body", "response_body", "llmSchema"]) expect(name in record).toBe(false);
  });

  test("shows JSON as JSON, text as text, bytes as a description, packed and shared ones alike", async () => {
    const long = { text: "long ".repeat(2_000), big: "PLACE" };
    const bytes = new Uint8Array([0, 255, 1, 2]);
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    const exact = JSON.stringify(long).replace('"PLACE"', "12345678901234567890");
    const first = await insertRecord(
      it.store,
      it.organization,
      {},
      {
        request: { form: "json", content: exact, zstd: true },
        response: { form: "text", content: 'not "JSON" 漢\u0000' },
      },
    );
    const second = await insertRecord(
      it.store,
      it.organization,
      {},
      {
        request: { form: "binary", content: bytes, blob: sha256 },
        response: { form: "binary", content: bytes },
        headers: json({ request: [], response: ["Content-Type", "audio/mpeg"] }),
      },
    );
    const third = await insertRecord(it.store, it.organization, {}, { request: { form: "json", content: '{"cut":' } });
    const { json: response } = await byIds([first, second, third]);
    expect(response.data[0].request_body.text).toBe(long.text);
    expect(response.data[0].response_body).toBe('not "JSON" 漢\u0000');
    expect(response.data[1].request_body).toEqual({ _type: "binary", content_type: "image/png", bytes: 4, sha256 });
    expect(response.data[1].response_body).toEqual({ _type: "binary", content_type: "audio/mpeg", bytes: 4, sha256 });
    expect(response.data[2].request_body).toBe('{"cut":');
    const raw = await fetch(`${it.origin}/v1/request/${first}`, {
      headers: { authorization: `Bearer ${it.keys.read}` },
    });
    expect(await raw.text()).toContain("12345678901234567890");
  });

  test("shows JSON that no reader could take as text, among records that are intact", async () => {
    const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    const strings = JSON.stringify({ text: "[".repeat(1_000), "\\": '"[{'.repeat(1_000) });
    const call = { function: { name: "f", arguments: `{"a":${deep}}` } };
    const response = JSON.stringify({ choices: [{ message: { role: "assistant", tool_calls: [call] } }] });
    const id = await insertRecord(
      it.store,
      it.organization,
      { wire_schema: "chat-completions" },
      {
        request: { form: "json", content: deep, zstd: true },
        response: { form: "json", content: response, zstd: true },
      },
    );
    const other = await insertRecord(it.store, it.organization, {}, { request: { form: "json", content: strings } });
    const { status, json: found } = await byIds([id, other]);
    expect(status).toBe(200);
    expect(found.data[0].request_body).toBe(deep);
    expect(found.data[0].llmSchema.response.messages[0].tool_calls[0].arguments).toEqual({ _raw: `{"a":${deep}}` });
    expect(found.data[1].request_body).toEqual(JSON.parse(strings));
  });

  test("of a long page comes whole, with every body", async () => {
    const ids: string[] = [];
    for (let i = 0; i < 60; i++) {
      const body = { form: "json", content: JSON.stringify({ i, text: "x".repeat(100_000) }), zstd: true };
      ids.push(
        await insertRecord(it.store, it.organization, { size_bytes: 1_000_000 }, { request: body, response: body }),
      );
    }
    const { json } = await byIds(ids);
    expect(json.data.map((record: { request_body: { i: number } }) => record.request_body.i)).toEqual(
      ids.map((_, i) => i),
    );
    expect(json.error).toBeNull();
  }, 300_000);
});

describe("bodies and assets", () => {
  const stream = 'data: {"a":1}\n\ndata: [DONE]\n\n';
  let id: string;
  beforeAll(async () => {
    id = await insertRecord(
      it.store,
      it.organization,
      { assets: '["pic 1"]' },
      {
        request: json({ prompt: "hi" }),
        response: json({ answer: "ho" }),
        raw: { form: "text", content: stream, zstd: true },
        headers: json({
          request: ["Content-Type", "application/json"],
          response: ["content-type", "text/event-stream"],
        }),
      },
    );
    await it.store.bodies.batch([
      insertInto("blobs", {
        hash: "pic 1",
        codec: "plain",
        content_type: "image/png",
        bytes: 3,
        data: Buffer.from("PNG"),
      }),
      insertInto("assets", {
        request_id: id,
        asset_id: "pic 1",
        organization_id: it.organization,
        content_type: "text/html",
        bytes: 3,
      }),
    ]);
  });
  const get = (path: string, key: string | null = it.keys.read) =>
    fetch(path.startsWith("http") ? path : it.origin + path, {
      headers: key === null ? {} : { authorization: `Bearer ${key}` },
    });

  test("are returned together, and each alone", async () => {
    const read = async (query: string) => (await get(`/v1/request/${id}/body${query}`)).json();
    expect(await read("")).toEqual({ data: { request: { prompt: "hi" }, response: { answer: "ho" } }, error: null });
    expect(await read("?part=request")).toEqual({ data: { prompt: "hi" }, error: null });
    expect(await read("?part=response&raw=false")).toEqual({ data: { answer: "ho" }, error: null });
  });

  test("come raw as they were sent, and no browser runs them", async () => {
    const response = await get(`/v1/request/${id}/body?part=response&raw=true`);
    expect(await response.text()).toBe(stream);
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    expect(response.headers.get("content-security-policy")).toContain("sandbox");
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    expect(await (await get(`/v1/request/${id}/body?part=request&raw=true`)).json()).toEqual({ prompt: "hi" });
  });

  test("have signed addresses that work without a key", async () => {
    const [record] = (await byIds([id])).json.data;
    expect(record.signed_body_url).toStartWith(`${it.origin}/v1/request/${id}/body?`);
    const body = await get(record.signed_body_url, null);
    expect([body.status, (await body.json()).data.request]).toEqual([200, { prompt: "hi" }]);
    const asset = await get(record.asset_urls["pic 1"], null);
    expect([asset.status, await asset.text()]).toEqual([200, "PNG"]);
    expect(asset.headers.get("content-security-policy")).toContain("sandbox");
    expect((await get(`/v1/request/${id}/assets/pic%201`)).status).toBe(200);
    expect((await get(`/v1/request/${id}/assets/pic%202`)).status).toBe(404);
  });

  test("keep signed addresses to one request and one time", async () => {
    const other = await insertRecord(it.store, it.organization);
    const [record] = (await byIds([id])).json.data;
    const url = new URL(record.signed_body_url);
    const bent = (change: (copy: URL) => void) => {
      const copy = new URL(url);
      change(copy);
      return get(copy.href, null);
    };
    const wrong = [
      await bent((copy) => {
        copy.pathname = copy.pathname.replace(id, other);
      }),
      await bent((copy) => copy.searchParams.set("expires", "99999999999")),
      await bent((copy) => copy.searchParams.append("expires", "9999999999")),
      await bent((copy) => copy.searchParams.append("signature", "x")),
      await bent((copy) => copy.searchParams.set("signature", "")),
      await bent((copy) => copy.searchParams.delete("expires")),
      await bent((copy) => copy.searchParams.set("signature", `${url.searchParams.get("signature")}x`)),
    ];
    expect(wrong.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401, 401, 401]);
  });

  test("have signed addresses that expire", async () => {
    const soon = await openApi({ signed_url_seconds: 3, public_api_url: "https://weir.example.com/" });
    const own = await insertRecord(soon.store, soon.organization);
    const address = async () => {
      const { json } = await soon.call("GET", `/v1/request/${own}`);
      expect(json.data.signed_body_url).toStartWith(`https://weir.example.com/v1/request/${own}/body?`);
      const url = new URL(json.data.signed_body_url);
      return { expires: Number(url.searchParams.get("expires")), here: `${soon.origin}${url.pathname}${url.search}` };
    };
    const { expires, here } = await address();
    // A machine that is too slow for one address gets another one.
    await until(
      async () => (await fetch((await address()).here)).status === 200,
      180_000,
      () => "no address worked",
    );
    await until(
      async () => (await fetch(here)).status === 401,
      180_000,
      () => "the address works still",
    );
    expect(Date.now() / 1_000).toBeGreaterThanOrEqual(expires);
    await soon[Symbol.asyncDispose]();
  });
});
