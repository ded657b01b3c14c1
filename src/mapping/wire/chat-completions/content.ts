import type { AudioPart, FilePart, ImagePart, Json, ModelFacts, Part, Source } from "../../../plugin-host/contract.ts";
import { filledText, isObject, pickDefined, textOf } from "../../json.ts";
import { cacheMark, type PromptDraft } from "../../translate/draft.ts";
import { addressOf, fileName, sourceOf } from "../../translate/source.ts";
import { isBlock, readBlock } from "../messages/blocks.ts";

/**
 * The content of a message: a text, or a list of parts. An unreadable part is refused with its path. Parts may be Anthropic
 * blocks, because some clients choose the format by the model's name.
 */
export function readContent(draft: PromptDraft, content: Json, at: string): Part[] {
  if (content === undefined || content === null) return [];
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content, at }];
  if (!Array.isArray(content)) {
    draft.lose("invalid", at, "must be a text or a list of parts");
    return [];
  }
  const parts: Part[] = [];
  for (const [index, part] of content.entries()) {
    const place = `${at}[${index}]`;
    const type = textOf(part?.type) ?? "";
    const known = Object.hasOwn(PARTS, type) ? PARTS[type] : undefined;
    const read = known !== undefined ? known.read(part) : isBlock(type) ? readBlock(part, draft, place) : undefined;
    if (read === undefined) {
      draft.lose("refused", place, type === "" ? "must be a part with a type" : `no part of type ${type} can be read`);
      continue;
    }
    if (known !== undefined) draft.loseOthers(part, known.members, place);
    if (known?.inside !== undefined && isObject(part[type]))
      draft.loseOthers(part[type], known.inside, `${place}.${type}`);
    const cache = cacheMark(part.cache_control);
    parts.push(cache === undefined ? { ...read, at: place } : { ...read, at: place, cache });
  }
  return parts;
}

/** Reads a part of one type. */
interface PartReader {
  readonly read: (part: Json) => Part | undefined;
  /** All of its members that have a place in a prompt. */
  readonly members: ReadonlySet<string>;
  /** All members with a place in a prompt, of the object in the member that is named like the type. */
  readonly inside?: ReadonlySet<string>;
}

const PART_MEMBERS = ["type", "cache_control"];

const reader = (read: PartReader["read"], members: readonly string[], inside?: readonly string[]): PartReader => ({
  read,
  members: new Set([...PART_MEMBERS, ...members]),
  ...(inside === undefined ? {} : { inside: new Set(inside) }),
});

const textReader = reader(({ text }) => (typeof text === "string" ? { type: "text", text } : undefined), ["text"]);

const PARTS: Readonly<Record<string, PartReader>> = {
  text: textReader,
  input_text: textReader,
  output_text: textReader,
  refusal: reader(
    ({ refusal }) => (typeof refusal === "string" ? { type: "refusal", text: refusal } : undefined),
    ["refusal"],
  ),
  image_url: reader(
    ({ image_url: image }) => {
      const url = textOf(image) ?? textOf(image?.url);
      if (url === undefined) return undefined;
      return pickDefined({ type: "image", source: sourceOf(url), detail: textOf(image?.detail) }) as ImagePart;
    },
    ["image_url"],
    ["url", "detail"],
  ),
  input_audio: reader(
    ({ input_audio: audio }) => {
      const bytes = textOf(audio?.data);
      if (bytes === undefined) return undefined;
      return { type: "audio", source: { bytes, mediaType: `audio/${textOf(audio.format) ?? "wav"}` } };
    },
    ["input_audio"],
    ["data", "format"],
  ),
  file: reader(
    ({ file }) => {
      const source = fileSource(file);
      return source && (pickDefined({ type: "file", source, name: filledText(file.filename) }) as FilePart);
    },
    ["file"],
    ["file_id", "file_data", "filename"],
  ),
};

/** The source of a file: bytes, with or without `data:` before them, or the id of a file at the provider. */
export function fileSource(file: Json): Source | undefined {
  const fileId = filledText(file?.file_id);
  if (fileId !== undefined) return { fileId };
  const bytes = filledText(file?.file_data);
  if (bytes === undefined) return undefined;
  return bytes.startsWith("data:") ? sourceOf(bytes) : { bytes, mediaType: typeByName(filledText(file.filename)) };
}

const TYPES: Readonly<Record<string, string>> = {
  txt: "text/plain",
  md: "text/markdown",
  csv: "text/csv",
  html: "text/html",
  json: "application/json",
};

function typeByName(name: string | undefined): string {
  const extension = name?.slice(name.lastIndexOf(".") + 1).toLowerCase() ?? "";
  return Object.hasOwn(TYPES, extension) ? TYPES[extension]! : "application/pdf";
}

/** A message's parts as content: a single text as a string, otherwise a list. */
export function writeContent(parts: readonly Part[], facts: ModelFacts): Json {
  if (parts.length === 1 && parts[0]!.type === "text") return parts[0]!.text;
  return parts.flatMap((part) => writePart(part, facts));
}

function writePart(part: Part, { documentUrl }: ModelFacts): Json[] {
  if (part.type === "text") return [{ type: "text", text: part.text }];
  if (part.type === "refusal") return [{ type: "refusal", refusal: part.text }];
  if (part.type === "image") {
    const url = addressOf(part.source);
    return [{ type: "image_url", image_url: pickDefined({ url, detail: part.detail }) }];
  }
  if (part.type === "audio") return [{ type: "input_audio", input_audio: writeAudio(part) }];
  if (part.type === "file")
    return [documentUrl === true ? writeDocument(part) : { type: "file", file: writeFile(part) }];
  return [];
}

const writeAudio = ({ source }: AudioPart) => ({
  data: "bytes" in source ? source.bytes : "",
  format: "mediaType" in source ? source.mediaType.slice(source.mediaType.indexOf("/") + 1) : "wav",
});

/** As Mistral takes a PDF. */
const writeDocument = ({ source, name }: FilePart) =>
  "fileId" in source
    ? { type: "file", file_id: source.fileId }
    : pickDefined({ type: "document_url", document_url: addressOf(source), document_name: name });

const writeFile = ({ source, name }: FilePart) =>
  "fileId" in source
    ? { file_id: source.fileId }
    : pickDefined({ file_data: addressOf(source), filename: name ?? fileName(source) });
