import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { embeddingForm } from "../../../src/mapping/wire/embeddings/forms.ts";
import { joinEmbeddings, readEmbeddings, writeEmbeddingCalls } from "../../../src/mapping/wire/embeddings/translate.ts";
import type { Json } from "../../../src/plugin-host/contract.ts";
import { assertProperty } from "../../chance.ts";

const PATHS = {
  gemini: ["/v1beta/models/gemini-embedding-001:batchEmbedContents", "gemini-embedding-001"],
  vertex: ["/v1/projects/p/locations/global/publishers/google/models/text-embedding-005:predict", "text-embedding-005"],
  cohere: ["/v2/embed", "embed-v4.0"],
  ollama: ["/api/embed", "nomic-embed-text"],
  titan: ["/model/amazon.titan-embed-text-v2%3A0/invoke", "amazon.titan-embed-text-v2:0"],
  nova: ["/model/amazon.nova-2-multimodal-embeddings-v1%3A0/invoke", "amazon.nova-2-multimodal-embeddings-v1:0"],
  "bedrock-cohere": ["/model/cohere.embed-v4%3A0/invoke", "cohere.embed-v4:0"],
} as const;
type Name = keyof typeof PATHS;

const formOf = (name: Name) => embeddingForm(PATHS[name][0])!;
const written = (name: Name, body: Json, model: string = PATHS[name][1]) =>
  writeEmbeddingCalls(readEmbeddings(body), formOf(name), model);
const said = (losses: readonly { kind: string; path: string }[]) => losses.map(({ kind, path }) => `${kind} ${path}`);

test("a path tells its form; OpenAI's own has none", () => {
  for (const name of Object.keys(PATHS) as Name[]) expect(formOf(name).name).toBe(name);
  expect(embeddingForm("/v1/embeddings")).toBeUndefined();
  expect(embeddingForm("/v1beta/models/m:batchEmbedContents?key=x")?.name).toBe("gemini");
});

const request = { model: "m", input: ["a", "b"], dimensions: 256, input_type: "search_query" };

test.each<[Name, Json[]]>([
  [
    "gemini",
    [
      {
        requests: ["a", "b"].map((text) => ({
          model: "models/gemini-embedding-001",
          content: { parts: [{ text }] },
          taskType: "RETRIEVAL_QUERY",
          outputDimensionality: 256,
        })),
      },
    ],
  ],
  [
    "vertex",
    [
      {
        instances: [
          { content: "a", task_type: "RETRIEVAL_QUERY" },
          { content: "b", task_type: "RETRIEVAL_QUERY" },
        ],
        parameters: { outputDimensionality: 256 },
      },
    ],
  ],
  [
    "cohere",
    [
      {
        model: "embed-v4.0",
        texts: ["a", "b"],
        input_type: "search_query",
        embedding_types: ["float"],
        output_dimension: 256,
      },
    ],
  ],
  [
    "bedrock-cohere",
    [{ texts: ["a", "b"], input_type: "search_query", embedding_types: ["float"], output_dimension: 256 }],
  ],
  ["ollama", [{ model: "nomic-embed-text", input: ["a", "b"], dimensions: 256 }]],
  ["titan", ["a", "b"].map((inputText) => ({ inputText, dimensions: 256 }))],
  [
    "nova",
    ["a", "b"].map((value) => ({
      taskType: "SINGLE_EMBEDDING",
      singleEmbeddingParams: {
        embeddingPurpose: "TEXT_RETRIEVAL",
        embeddingDimension: 256,
        text: { truncationMode: "NONE", value },
      },
    })),
  ],
])("a request for %s", (name, bodies) => {
  expect(written(name, request).bodies).toEqual(bodies);
});

test("what texts are for is a document where the client does not say and the API must know", () => {
  expect(written("cohere", { input: "a" }).bodies).toEqual([
    { model: "embed-v4.0", texts: ["a"], input_type: "search_document", embedding_types: ["float"] },
  ]);
  expect(written("gemini", { input: "a" }).bodies[0].requests[0]).toEqual({
    model: "models/gemini-embedding-001",
    content: { parts: [{ text: "a" }] },
  });
});

test.each<[string, Name, Json, readonly string[]]>([
  ["tokens", "cohere", { input: [1, 2] }, ["refused input"]],
  ["lists of tokens", "cohere", { input: [[1], [2]] }, ["refused input"]],
  ["no input", "cohere", {}, ["invalid input"]],
  ["an empty list", "cohere", { input: [] }, ["invalid input"]],
  ["a body that is none", "cohere", null, ["invalid ", "invalid input"]],
  ["the end user", "cohere", { input: "a", user: "u" }, ["dropped user"]],
  [
    "a form of numbers that nobody knows",
    "cohere",
    { input: "a", encoding_format: "hex" },
    ["invalid encoding_format"],
  ],
  ["no dimensions", "cohere", { input: "a", dimensions: 0 }, ["invalid dimensions"]],
  ["a purpose that nobody knows", "cohere", { input: "a", input_type: "x" }, ["invalid input_type"]],
  ["a purpose where none can be said", "ollama", { input: "a", input_type: "clustering" }, ["dropped input_type"]],
  ["members that are null", "ollama", { input: "a", user: null, dimensions: null }, []],
])("losses: %s", (_name, form, body, losses) => {
  expect(said(written(form, body).losses)).toEqual([...losses]);
});

test("dimensions are refused where the model's vectors have one length", () => {
  expect(said(written("titan", { input: "a", dimensions: 9 }, "amazon.titan-embed-text-v1").losses)).toEqual([
    "refused dimensions",
  ]);
  expect(said(written("bedrock-cohere", { input: "a", dimensions: 9 }, "cohere.embed-english-v3").losses)).toEqual([
    "refused dimensions",
  ]);
});

/** A provider's answer, written out loud. */
const RESPONSES: Readonly<Record<Name, (vectors: number[][]) => Json>> = {
  gemini: (vectors) => ({ embeddings: vectors.map((values) => ({ values })) }),
  vertex: (vectors) => ({
    predictions: vectors.map((values) => ({ embeddings: { values, statistics: { token_count: 3 } } })),
  }),
  cohere: (vectors) => ({
    embeddings: { float: vectors },
    meta: { billed_units: { input_tokens: 3 * vectors.length } },
  }),
  "bedrock-cohere": (vectors) => ({ embeddings: vectors }),
  ollama: (vectors) => ({ embeddings: vectors, prompt_eval_count: 3 * vectors.length }),
  titan: ([embedding]) => ({ embedding, inputTextTokenCount: 3 }),
  nova: ([embedding]) => ({ embeddings: [{ embeddingType: "TEXT", embedding }] }),
};
/** Those that say in the body how much they read. */
const COUNTED: readonly Name[] = ["vertex", "cohere", "ollama", "titan"];

describe.each(Object.keys(PATHS) as Name[])("%s", (name) => {
  const form = formOf(name);
  const model = PATHS[name][1];

  test("however many texts there are, each gets its own vector, in order", () => {
    assertProperty(
      fc.property(fc.array(fc.string(), { minLength: 1, maxLength: 230 }), fc.boolean(), (texts, base64) => {
        const prompt = readEmbeddings({ input: texts, encoding_format: base64 ? "base64" : "float" });
        const { bodies } = writeEmbeddingCalls(prompt, form, model);
        const most = form.textsMax(model);
        expect(bodies).toHaveLength(Math.ceil(texts.length / most));
        const vectors = texts.map((_, at) => [at, 0.5]);
        const responses = bodies.map((_, at) => ({ body: RESPONSES[name](vectors.slice(at * most, (at + 1) * most)) }));
        const joined = joinEmbeddings(responses, prompt, form, { model: "m", estimate: () => 7 })!;
        const { data, usage } = joined.body;
        expect(data.map(({ index }: Json) => index)).toEqual(texts.map((_, at) => at));
        expect(data.map(({ embedding }: Json) => (base64 ? floats(embedding) : embedding))).toEqual(vectors);
        expect(joined.estimated).toBe(!COUNTED.includes(name));
        expect(usage.prompt_tokens).toBe(joined.estimated ? 7 : 3 * texts.length);
      }),
      { numRuns: 20 },
    );
  });

  test("a response of another form is invalid", () => {
    const prompt = readEmbeddings({ input: ["a"] });
    const reply = { model: "m", estimate: () => 1 };
    const bodies: Json[] = [null, {}, [], "x", { embeddings: [] }, { embeddings: ["x"] }, { embedding: [null] }];
    for (const body of bodies) expect(joinEmbeddings([{ body }], prompt, form, reply)).toBeUndefined();
    const one = { body: RESPONSES[name]([[1]]) };
    expect(joinEmbeddings([one, one], prompt, form, reply)).toBeUndefined();
    expect(joinEmbeddings([one], prompt, form, reply)?.body).toMatchObject({ object: "list", model: "m" });
  });
});

const floats = (text: string) => {
  const bytes = Buffer.from(text, "base64");
  return Array.from({ length: bytes.length / 4 }, (_, at) => bytes.readFloatLE(at * 4));
};

test("usage outside the body counts, as Bedrock's headers have it", () => {
  const prompt = readEmbeddings({ input: ["a"] });
  const response = { body: { embeddings: [[1]] }, usage: { prompt_tokens: 5 } };
  const joined = joinEmbeddings([response], prompt, formOf("bedrock-cohere"), { model: "m", estimate: () => 1 })!;
  expect(joined.usage).toEqual({ prompt_tokens: 5, total_tokens: 5 });
  expect(joined.estimated).toBeFalse();
});
