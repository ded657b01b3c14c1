import { afterAll, beforeAll, expect, test } from "bun:test";
import { insertRecord, openApi, type TestApi } from "./open.ts";

let it: TestApi;
beforeAll(async () => {
  it = await openApi();
});
afterAll(async () => {
  await it[Symbol.asyncDispose]();
});

const headers = {
  form: "json",
  content: JSON.stringify({
    request: ["Content-Type", "text/plain", "X-Twice", "a", "X-Twice", "b"],
    response: ["Via", "é"],
  }),
};

test("the headers of a request are pairs, in their order, repeated ones too", async () => {
  const id = await insertRecord(it.store, it.organization, {}, { headers });
  const { status, json } = await it.call("GET", `/v1/request/${id}/headers`, { key: it.keys.read });
  expect([status, json.data]).toEqual([
    200,
    {
      request: [
        ["Content-Type", "text/plain"],
        ["X-Twice", "a"],
        ["X-Twice", "b"],
      ],
      response: [["Via", "é"]],
      provider_request: null,
      provider_response: null,
    },
  ]);
});

test("a request without recorded headers has none", async () => {
  const id = await insertRecord(it.store, it.organization);
  expect((await it.call("GET", `/v1/request/${id}/headers`)).json.data).toEqual({
    request: [],
    response: [],
    provider_request: null,
    provider_response: null,
  });
});

test("headers of another organization's request, or without the scope, cannot be read", async () => {
  const id = await insertRecord(it.store, it.organization, {}, { headers });
  const statusOf = async (key: string | null) => (await it.call("GET", `/v1/request/${id}/headers`, { key })).status;
  expect([await statusOf(it.keys.other), await statusOf(it.keys.gateway), await statusOf(null)]).toEqual([
    404, 403, 401,
  ]);
});
