import type { Json } from "../../plugin-host/contract.ts";
import type { LlmMessage } from "../../record/llm-schema.ts";
import { filledText, isObject, pickDefined, textOf } from "../json.ts";

/** An image, file or piece of audio in a message, in the neutral schema; `undefined` for any other part. */
export function mediaOf(part: Json, type: string | undefined): LlmMessage | undefined {
  if (type !== undefined) return Object.hasOwn(BY_TYPE, type) ? BY_TYPE[type]!(part) : undefined;
  for (const [member, read] of BY_MEMBER) if (isObject(part[member])) return read(part[member]);
  return undefined;
}

type MediaReader = (part: Json) => LlmMessage;

const media = (members: { [K in keyof LlmMessage]: LlmMessage[K] | undefined }) => pickDefined(members) as LlmMessage;

const image = (members: { [K in keyof LlmMessage]: LlmMessage[K] | undefined }) =>
  media({ _type: "image", type: "input_image", ...members });
const file = (members: { [K in keyof LlmMessage]: LlmMessage[K] | undefined }) =>
  media({ _type: "file", type: "input_file", ...members });
const audio = (data: Json, mime: Json) =>
  media({ _type: "audio", audio_data: filledText(data), mime_type: filledText(mime) });

/** `data:` address of base64 content; a reference to a stored asset is returned unchanged. */
function address(data: Json, mime: Json): string | undefined {
  const content = filledText(data);
  if (content === undefined || content.includes(":")) return content;
  return `data:${filledText(mime) ?? "application/octet-stream"};base64,${content}`;
}

const imageUrl: MediaReader = (part) =>
  image({
    image_url: textOf(part.image_url) ?? textOf(part.image_url?.url) ?? textOf(part.url),
    detail: filledText(part.detail) ?? filledText(part.image_url?.detail),
    file_id: filledText(part.file_id),
  });

/** Anthropic: the type is in `type`, the data in `source`. Others put the data next to the type. */
const sourceImage: MediaReader = ({ source, ...part }) =>
  image({
    image_url: textOf(source?.url) ?? address(source?.data ?? part.data, source?.media_type ?? part.mime_type),
    file_id: filledText(source?.file_id),
    mime_type: filledText(source?.media_type) ?? filledText(part.mime_type),
  });

const sourceFile: MediaReader = ({ source, ...part }) =>
  file({
    filename: filledText(part.title) ?? filledText(part.filename),
    file_id: filledText(source?.file_id),
    file_data: filledText(source?.url) ?? filledText(source?.data) ?? filledText(part.data),
    mime_type: filledText(source?.media_type) ?? filledText(part.mime_type),
  });

const openAiFile: MediaReader = (part) => {
  const inner = isObject(part.file) ? part.file : part;
  return file({
    filename: filledText(inner.filename),
    file_id: filledText(inner.file_id),
    file_data: filledText(inner.file_data) ?? filledText(inner.file_url),
  });
};

const linked =
  (member: string): MediaReader =>
  (part) =>
    file({ file_data: textOf(part[member]) ?? filledText(part[member]?.url) });

const BY_TYPE: Readonly<Record<string, MediaReader>> = {
  image_url: imageUrl,
  input_image: imageUrl,
  output_image: imageUrl,
  image: sourceImage,
  document: sourceFile,
  file: openAiFile,
  input_file: openAiFile,
  document_url: linked("document_url"),
  video_url: linked("video_url"),
  audio_url: linked("audio_url"),
  input_audio: (part) => audio(part.input_audio?.data ?? part.input_audio, part.input_audio?.format),
  audio: (part) => audio(part.data ?? part.source?.data, part.mime_type ?? part.source?.media_type),
};

/** Gemini: `inlineData` and `fileData`, also in snake case. */
const inline: MediaReader = (part) => {
  const mime = filledText(part.mimeType) ?? filledText(part.mime_type);
  if (mime?.startsWith("image/")) return image({ image_url: address(part.data, mime), mime_type: mime });
  if (mime?.startsWith("audio/")) return audio(part.data, mime);
  return file({ file_data: filledText(part.data), mime_type: mime, filename: filledText(part.displayName) });
};
const stored: MediaReader = (part) => {
  const mime = filledText(part.mimeType) ?? filledText(part.mime_type);
  const uri = filledText(part.fileUri) ?? filledText(part.file_uri);
  return mime?.startsWith("image/")
    ? image({ image_url: uri, mime_type: mime })
    : file({ file_data: uri, mime_type: mime });
};

/** Bedrock converse: a format, and the bytes or their location in S3. */
const converse =
  (family: "image" | "application" | "video" | "audio"): MediaReader =>
  (part) => {
    const mime = filledText(part.format) === undefined ? undefined : `${family}/${part.format}`;
    const place = filledText(part.source?.s3Location?.uri);
    if (family === "image") return image({ image_url: place ?? address(part.source?.bytes, mime), mime_type: mime });
    if (family === "audio") return audio(place ?? part.source?.bytes, mime);
    const content = place ?? filledText(part.source?.bytes) ?? filledText(part.source?.text);
    return file({ filename: filledText(part.name), file_data: content, mime_type: mime });
  };

const BY_MEMBER: readonly (readonly [string, MediaReader])[] = [
  ["inlineData", inline],
  ["inline_data", inline],
  ["fileData", stored],
  ["file_data", stored],
  ["image", converse("image")],
  ["document", converse("application")],
  ["video", converse("video")],
  ["audio", converse("audio")],
];
