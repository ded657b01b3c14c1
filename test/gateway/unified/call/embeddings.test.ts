import { describe, expect, test } from "bun:test";
import type { Json } from "../../../../src/plugin-host/contract.ts";
import { at, chatResponse, json, KEY, type Received, type Respond, standIn, startUnified } from "../house.ts";

const embed = (origin: string, body: unknown) =>
  fetch(`${origin}/v1/embeddings`, {
    method: "POST",
    headers: { Authorization: `Bearer ${KEY}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });

/** A text's vector, so that it shows whose it is. */
const vectorOf = (text: string) => [Number(text.slice(1)), 0.5];
const texts = (count: number) => Array.from({ length: count }, (_, at) => `t${at}`);
const bedrock = (origin: string, more: object = {}) =>
  at("AWS", origin, {
    settings: { region: "eu-west-1" },
    secrets: { access_key_id: "AKIA1", secret_access_key: "secret-1" },
    ...more,
  });

interface Form {
  readonly model: string;
  readonly path: string;
  /** What a call of these texts is. */
  readonly sent: (texts: readonly string[]) => object;
  readonly textsOf: (sent: Json) => readonly string[];
  readonly response: (texts: readonly string[]) => object;
  readonly headers?: (texts: readonly string[]) => Record<string, string>;
  readonly textsMax: number;
}

/** Each counts one token a text. */
const FORMS: readonly (readonly [string, Form])[] = [
  [
    "Titan",
    {
      model: "amazon.titan-embed-text-v2:0",
      path: "/model/amazon.titan-embed-text-v2%3A0/invoke",
      sent: ([text]) => ({ inputText: text, dimensions: 256 }),
      textsOf: ({ inputText }) => [inputText],
      response: ([text]) => ({ embedding: vectorOf(text!), inputTextTokenCount: 1 }),
      textsMax: 1,
    },
  ],
  [
    "Cohere at Bedrock",
    {
      model: "cohere.embed-v4:0",
      path: "/model/cohere.embed-v4%3A0/invoke",
      sent: (list) => ({
        ...{ texts: list, input_type: "search_document", embedding_types: ["float"] },
        output_dimension: 256,
      }),
      textsOf: ({ texts: list }) => list,
      response: (list) => ({ embeddings: { float: list.map(vectorOf) } }),
      headers: (list) => ({ "X-Amzn-Bedrock-Input-Token-Count": String(list.length) }),
      textsMax: 96,
    },
  ],
  [
    "Nova",
    {
      model: "amazon.nova-2-multimodal-embeddings-v1:0",
      path: "/model/amazon.nova-2-multimodal-embeddings-v1%3A0/invoke",
      sent: ([text]) => ({
        taskType: "SINGLE_EMBEDDING",
        singleEmbeddingParams: {
          ...{ embeddingPurpose: "GENERIC_INDEX", embeddingDimension: 256 },
          text: { truncationMode: "NONE", value: text },
        },
      }),
      textsOf: ({ singleEmbeddingParams }) => [singleEmbeddingParams.text.value],
      response: ([text]) => ({ embeddings: [{ embeddingType: "TEXT", embedding: vectorOf(text!) }] }),
      headers: () => ({ "x-amzn-bedrock-input-token-count": "1" }),
      textsMax: 1,
    },
  ],
];

describe.each(FORMS)("%s", (_name, form) => {
  const respond: Respond = (request) => {
    const list = form.textsOf(request.json);
    return json(form.response(list), 200, form.headers?.(list));
  };

  test("is called in its own form, signed", async () => {
    await using provider = standIn(respond);
    await using gateway = await startUnified({ credentials: [bedrock(provider.origin)] });
    const response = await embed(gateway.origin, { model: `aws/${form.model}`, input: "t7", dimensions: 256 });
    expect([response.status, await response.json()]).toEqual([
      200,
      {
        object: "list",
        data: [{ object: "embedding", index: 0, embedding: vectorOf("t7") }],
        model: form.model,
        usage: { prompt_tokens: 1, total_tokens: 1 },
      },
    ]);
    expect(response.headers.get("gateway-warning")).toBeNull();
    const [request] = provider.received;
    expect([request!.path, request!.json]).toEqual([form.path, form.sent(["t7"]) as Json]);
    expect(request!.headers.get("authorization")).toStartWith("AWS4-HMAC-SHA256 Credential=AKIA1/");
  });

  test("more texts than a call takes are several calls: in order, one record, usage of all", async () => {
    const count = form.textsMax * 2 + 1;
    // The later a call, the sooner its response.
    const waiting: (() => void)[] = [];
    await using provider = standIn(async (request) => {
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
        if (waiting.length === 3) for (const next of waiting.toReversed()) next();
      });
      return respond(request, 0);
    });
    await using gateway = await startUnified({ credentials: [bedrock(provider.origin)] });
    const response = await embed(gateway.origin, { model: `aws/${form.model}`, input: texts(count) });
    const body = (await response.json()) as Json;
    expect(body.data.map((each: Json) => [each.index, each.embedding])).toEqual(
      texts(count).map((text, index) => [index, vectorOf(text)]),
    );
    expect(body.usage).toEqual({ prompt_tokens: count, total_tokens: count });
    expect(provider.received.flatMap((each: Received) => form.textsOf(each.json)).toSorted()).toEqual(
      texts(count).toSorted(),
    );
    for (const { headers } of provider.received) expect(headers.get("authorization")).toStartWith("AWS4-HMAC-SHA256");
    const signatures = new Set(provider.received.map(({ headers }) => headers.get("authorization")));
    expect(signatures.size).toBe(3);

    expect([...gateway.spool.exchanges.keys()]).toHaveLength(1);
    const recorded = await gateway.spool.ended(response.headers.get("gateway-id")!);
    const sent = JSON.parse(recorded.provider.request!.toString()) as Json[];
    expect(sent.flatMap(form.textsOf)).toEqual(texts(count));
    expect(JSON.parse(recorded.provider.response!.toString())).toHaveLength(3);
    expect(response.headers.get("gateway-attempts")).toBe("1");
  });
});

test("one call that fails is the failure of all: the next target is called, and the attempt is a record", async () => {
  await using cohere = standIn((request) =>
    request.json.texts.includes("t100")
      ? json({ message: "slow down" }, 429, { "retry-after": "7" })
      : json({ embeddings: { float: request.json.texts.map(vectorOf) } }),
  );
  await using openai = standIn((request) =>
    json({
      ...{ object: "list", model: "e", usage: { prompt_tokens: 1, total_tokens: 1 } },
      data: request.json.input.map((text: string, index: number) => ({
        ...{ object: "embedding", index, embedding: vectorOf(text) },
      })),
    }),
  );
  await using gateway = await startUnified({ credentials: [at("COHERE", cohere.origin), at("OPENAI", openai.origin)] });
  const alone = await embed(gateway.origin, { model: "cohere/e", input: texts(150) });
  expect([alone.status, await alone.json()]).toMatchObject([429, { error: { message: "slow down" } }]);
  const response = await embed(gateway.origin, { model: "cohere/f,openai/e", input: texts(150) });
  expect([response.status, response.headers.get("gateway-attempts")]).toEqual([200, "2"]);
  const failed = [...gateway.spool.exchanges.values()].filter(({ begin }) => begin.attemptOf !== undefined);
  expect(failed).toHaveLength(1);
  expect(failed[0]!.head).toMatchObject({ status: 429 });
  expect(JSON.parse(failed[0]!.requestBody.toString())).toHaveLength(2);
});

test.each<[string, Respond]>([
  ["no JSON", () => new Response("<html>", { headers: { "content-type": "application/json" } })],
  ["a vector too few", (request) => json({ embeddings: { float: request.json.texts.slice(1).map(vectorOf) } })],
  ["something else", () => json(chatResponse("x"))],
])("several calls of which one returns %s are 502 upstream_malformed", async (_name, broken) => {
  await using provider = standIn((request, place) =>
    request.json.texts.includes("t100")
      ? broken(request, place)
      : json({ embeddings: { float: request.json.texts.map(vectorOf) } }),
  );
  await using gateway = await startUnified({ credentials: [at("COHERE", provider.origin)] });
  const response = await embed(gateway.origin, { model: "cohere/e", input: texts(150) });
  expect([response.status, await response.json()]).toMatchObject([502, { error: { code: "upstream_malformed" } }]);
});

test("a client that leaves ends every call, and none begins", async () => {
  const aborted: Promise<void>[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch(request) {
      const gone = Promise.withResolvers<void>();
      request.signal.addEventListener("abort", () => gone.resolve());
      aborted.push(gone.promise);
      return new Promise<Response>(() => {});
    },
  });
  await using gateway = await startUnified({ credentials: [bedrock(`http://127.0.0.1:${server.port}`)] });
  const client = new AbortController();
  const body = JSON.stringify({ model: "aws/amazon.titan-embed-text-v2:0", input: texts(40) });
  const headers = { Authorization: `Bearer ${KEY}` };
  const pending = fetch(`${gateway.origin}/v1/embeddings`, { method: "POST", headers, body, signal: client.signal });
  pending.catch(() => undefined);
  await gateway.spool.until(() => aborted.length === 4);
  client.abort();
  await Promise.all(aborted);
  expect(aborted).toHaveLength(4);
  await server.stop(true);
});

test("a request that would be too many calls is refused", async () => {
  await using provider = standIn(() => json({}));
  await using gateway = await startUnified({ credentials: [bedrock(provider.origin)] });
  const response = await embed(gateway.origin, { model: "aws/amazon.titan-embed-text-v2:0", input: texts(2_049) });
  expect([response.status, await response.json()]).toMatchObject([
    400,
    { error: { code: "untranslatable", param: "input" } },
  ]);
  expect(provider.received).toEqual([]);
});

test("usage that a provider does not report is estimated from the texts alone", async () => {
  await using provider = standIn((request) => json({ embeddings: { float: request.json.texts.map(vectorOf) } }));
  await using gateway = await startUnified({ credentials: [at("COHERE", provider.origin)] });
  // Two tokens and one, whatever else the body has.
  const response = await embed(gateway.origin, { model: "cohere/e", input: ["t1234567", "t2"], user: "u".repeat(400) });
  expect(((await response.json()) as Json).usage).toEqual({ prompt_tokens: 3, total_tokens: 3 });
  expect(response.headers.get("gateway-warning")).toContain("estimated usage");
});
