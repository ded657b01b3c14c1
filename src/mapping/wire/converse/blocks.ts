import type { FilePart, Loss, Part, ReasoningPart, ResultPart, Source } from "../../../plugin-host/contract.ts";
import { argumentsObject } from "../../exact-json.ts";
import { type JsonObject, pickDefined } from "../../json.ts";

/** Document formats by media type. */
const DOCUMENTS: Readonly<Record<string, string>> = {
  "application/pdf": "pdf",
  "text/csv": "csv",
  "application/msword": "doc",
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
  "application/vnd.ms-excel": "xls",
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
  "text/html": "html",
  "text/markdown": "md",
};
const IMAGES: ReadonlySet<string> = new Set(["png", "jpeg", "gif", "webp"]);

/** Writes the blocks of one request, with valid and unique document names. */
export class BlockWriter {
  readonly losses: Loss[] = [];
  readonly #names = new Set<string>();
  readonly #takesTtl: boolean;

  /** @param model - cache lifetimes are known only for Claude. */
  constructor(model: string) {
    this.#takesTtl = model.includes("anthropic.claude");
  }

  blocks(parts: readonly Part[]): JsonObject[] {
    return parts.flatMap((part) => {
      const block = this.#block(part);
      if (block === undefined) return [];
      return part.cache === undefined ? [block] : [block, this.cachePoint(part.cache)];
    });
  }

  /** Everything before it is to be cached. */
  cachePoint({ ttl }: { readonly ttl?: string }): JsonObject {
    const known = this.#takesTtl && (ttl === "5m" || ttl === "1h") ? ttl : undefined;
    return { cachePoint: pickDefined({ type: "default", ttl: known }) };
  }

  #block(part: Part): JsonObject | undefined {
    switch (part.type) {
      case "text":
      case "refusal":
        return part.text.trim() === "" ? undefined : { text: part.text };
      case "image":
        return this.#image(part);
      case "file":
        return { document: this.#document(part) };
      case "call":
        return { toolUse: { toolUseId: part.id, name: part.name, input: argumentsObject(part.arguments) } };
      case "result":
        return { toolResult: this.#result(part) };
      case "reasoning":
        return { reasoningContent: reasoningOf(part) };
      case "hosted":
        return part.item;
      case "audio":
        return undefined;
    }
  }

  #image({ source, at }: Part & { type: "image" }): JsonObject | undefined {
    const format = "mediaType" in source ? source.mediaType.replace(/^image\/(?:x-)?/, "").replace("jpg", "jpeg") : "";
    if (IMAGES.has(format)) return { image: { format, source: { bytes: bytesOf(source) } } };
    this.losses.push({
      kind: "refused",
      path: at ?? "messages",
      why: `an image must be one of ${[...IMAGES].join(", ")}`,
    });
    return undefined;
  }

  #document({ source, name }: FilePart): JsonObject {
    const type = "mediaType" in source ? source.mediaType : "";
    const format = Object.hasOwn(DOCUMENTS, type) ? DOCUMENTS[type] : "txt";
    return { format, name: this.#nameOf(name), source: { bytes: bytesOf(source) } };
  }

  /** Allowed are letters, digits, single spaces, hyphens, parentheses and brackets; names must be unique. */
  #nameOf(given = "document"): string {
    const valid = given
      .replaceAll(/[^A-Za-z0-9\s()[\]-]+/g, "-")
      .replaceAll(/\s+/g, " ")
      .trim()
      .slice(0, 200);
    const base = valid === "" ? "document" : valid;
    let name = base;
    for (let count = 2; this.#names.has(name); count++) name = `${base} (${count})`;
    this.#names.add(name);
    return name;
  }

  /** A result needs content, even if it is empty. */
  #result({ id, parts, error }: ResultPart): JsonObject {
    const content = parts.flatMap((part) => this.#block(part) ?? []);
    return pickDefined({
      toolUseId: id,
      content: content.length > 0 ? content : [{ text: NOTHING }],
      status: error === true ? "error" : undefined,
    });
  }
}

const NOTHING = "(empty)";

const bytesOf = (source: Source): string =>
  "bytes" in source ? source.bytes : Buffer.from("text" in source ? source.text : "", "utf8").toString("base64");

function reasoningOf({ text, state }: ReasoningPart): JsonObject {
  if (state?.kind === "redacted") return { redactedContent: state.value };
  return { reasoningText: pickDefined({ text, signature: state?.value }) };
}
