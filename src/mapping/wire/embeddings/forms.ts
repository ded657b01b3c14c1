import type { EmbeddingAnswer, EmbeddingForm, EmbeddingPrompt, Json, Loss } from "../../../plugin-host/contract.ts";
import { countOf, isObject, listOf, pickDefined, sumOfList } from "../../json.ts";
import { cohereUsage, geminiUsage, openAiUsage } from "../../usage.ts";

/**
 * The format at a provider's path; `undefined` if it is OpenAI's own.
 *
 * @param path - of the call, including the model if the path has one.
 */
export function embeddingForm(path: string): EmbeddingForm | undefined {
  const end = path.replace(/\?.*$/, "");
  return FORMS.find(([matches]) => matches.test(end))?.[1];
}

/** Bedrock's paths contain the model's name, percent-encoded or not. */
const FORMS: readonly (readonly [RegExp, EmbeddingForm])[] = [
  [/:batchEmbedContents$/, gemini()],
  [/:predict$/, vertex()],
  [/\/v2\/embed$/, cohere("cohere", () => true)],
  [/\/api\/embed$/, ollama()],

  [/\/model\/[^/]*nova[^/]*\/invoke$/, nova()],
  [/\/model\/[^/]*cohere[^/]*\/invoke$/, cohere("bedrock-cohere", (model) => model.includes("embed-v4"))],
  // A custom model under an ARN at Bedrock is Amazon's.
  [/\/model\/[^/]+\/invoke$/, titan()],
];

/** Google's names for the purposes of texts. */
const TASKS: Readonly<Record<string, string>> = {
  search_document: "RETRIEVAL_DOCUMENT",
  search_query: "RETRIEVAL_QUERY",
  classification: "CLASSIFICATION",
  clustering: "CLUSTERING",
};
const taskOf = ({ inputType }: EmbeddingPrompt) => (inputType === undefined ? undefined : TASKS[inputType]);

function gemini(): EmbeddingForm {
  return {
    name: "gemini",
    textsMax: () => 100,
    writeRequest: (prompt, model) => ({
      requests: prompt.texts.map((text) =>
        pickDefined({
          model: `models/${model}`,
          content: { parts: [{ text }] },
          taskType: taskOf(prompt),
          outputDimensionality: prompt.dimensions,
        }),
      ),
    }),
    readAnswer: (body) =>
      embeddingsOf(
        listOf(body?.embeddings).map((each) => each?.values),
        geminiUsage(body?.usageMetadata),
      ),
  };
}

function vertex(): EmbeddingForm {
  return {
    name: "vertex",
    // Gemini's embedding models accept one text per call there.
    textsMax: (model) => (model.includes("gemini-embedding") ? 1 : 250),
    writeRequest: (prompt) =>
      pickDefined({
        instances: prompt.texts.map((content) => pickDefined({ content, task_type: taskOf(prompt) })),
        parameters: prompt.dimensions === undefined ? undefined : { outputDimensionality: prompt.dimensions },
      }),
    readAnswer: (body) => {
      const found = listOf(body?.predictions).map((each) => each?.embeddings);
      const tokens = sumOfList(found.map((each) => countOf(each?.statistics?.token_count)));
      return embeddingsOf(
        found.map((each) => each?.values),
        tokens === undefined ? undefined : { prompt_tokens: tokens },
      );
    },
  };
}

/** @param takesDimensions - whether a model supports several vector lengths. */
function cohere(name: string, takesDimensions: (model: string) => boolean): EmbeddingForm {
  return {
    name,
    textsMax: () => 96,
    writeRequest: (prompt, model) =>
      pickDefined({
        model: name === "cohere" ? model : undefined,
        texts: prompt.texts,
        input_type: prompt.inputType ?? "search_document",
        embedding_types: ["float"],
        output_dimension: prompt.dimensions,
      }),
    losses: (prompt, model) => (takesDimensions(model) ? [] : noDimensions(prompt)),
    readAnswer: (body) => {
      const found = isObject(body?.embeddings) ? (body.embeddings.float ?? body.embeddings.float_) : body?.embeddings;
      return embeddingsOf(listOf(found), cohereUsage(body?.meta));
    },
  };
}

function ollama(): EmbeddingForm {
  return {
    name: "ollama",
    textsMax: () => 1_000,
    writeRequest: ({ texts, dimensions }, model) => pickDefined({ model, input: texts, dimensions }),
    losses: noInputType,
    readAnswer: (body) => {
      const tokens = countOf(body?.prompt_eval_count);
      return embeddingsOf(listOf(body?.embeddings), tokens === undefined ? undefined : { prompt_tokens: tokens });
    },
  };
}

function titan(): EmbeddingForm {
  return {
    name: "titan",
    textsMax: () => 1,
    writeRequest: ({ texts, dimensions }) => pickDefined({ inputText: texts[0] ?? "", dimensions }),
    losses: (prompt, model) => [...noInputType(prompt), ...(model.includes("v2") ? [] : noDimensions(prompt))],
    readAnswer: (body) => {
      const tokens = countOf(body?.inputTextTokenCount);
      return embeddingsOf([body?.embedding], tokens === undefined ? undefined : { prompt_tokens: tokens });
    },
  };
}

const PURPOSES: Readonly<Record<string, string>> = {
  search_document: "GENERIC_INDEX",
  search_query: "TEXT_RETRIEVAL",
  classification: "CLASSIFICATION",
  clustering: "CLUSTERING",
};

function nova(): EmbeddingForm {
  return {
    name: "nova",
    textsMax: () => 1,
    writeRequest: ({ texts, dimensions, inputType = "search_document" }) => ({
      taskType: "SINGLE_EMBEDDING",
      singleEmbeddingParams: pickDefined({
        embeddingPurpose: PURPOSES[inputType],
        embeddingDimension: dimensions,
        // A text that is too long is an error, as at OpenAI.
        text: { truncationMode: "NONE", value: texts[0] ?? "" },
      }),
    }),
    readAnswer: (body) => {
      const tokens = countOf(body?.inputTextTokenCount);
      return embeddingsOf(
        listOf(body?.embeddings).map((each) => each?.embedding),
        tokens === undefined ? openAiUsage(body?.usage) : { prompt_tokens: tokens },
      );
    },
  };
}

function noInputType({ inputType }: EmbeddingPrompt): Loss[] {
  return inputType === undefined ? [] : [{ kind: "dropped", path: "input_type" }];
}

/** Vectors of a length that was not requested are useless to the client. */
const noDimensions = ({ dimensions }: EmbeddingPrompt): Loss[] =>
  dimensions === undefined ? [] : [{ kind: "refused", path: "dimensions", why: "the model has vectors of one length" }];

function embeddingsOf(vectors: readonly Json[], usage: EmbeddingAnswer["usage"]): EmbeddingAnswer | undefined {
  const areVectors = vectors.every(
    (vector) => Array.isArray(vector) && vector.every((value) => typeof value === "number"),
  );
  if (vectors.length === 0 || !areVectors) return undefined;
  return usage === undefined ? { vectors } : { vectors, usage };
}
