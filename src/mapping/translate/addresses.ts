import type { Call, Loss, Message, Part, Prompt, Shape } from "../../plugin-host/contract.ts";

/** The file at an address, or the reason why it could not be fetched. */
export type Fetched = { readonly mediaType: string; readonly bytes: string } | { readonly failure: string };

/** By address. */
export type FetchedFiles = Readonly<Record<string, Fetched>>;

const HTTP = /^https?:\/\//i;

/** Addresses of a prompt's files for a shape that accepts only bytes, without duplicates. */
export function addressesFor(prompt: Prompt, shape: Shape, call: Call): readonly string[] {
  const found = new Set<string>();
  const look = (part: Part) => {
    if (part.type === "result") for (const inner of part.parts) look(inner);
    const address = fetchable(part, shape, call);
    if (address !== undefined) found.add(address);
  };
  for (const { parts } of prompt.messages) for (const part of parts) look(part);
  return [...found];
}

/** The prompt with files instead of their addresses; a file that could not be fetched is refused with its path. */
export function withFiles(
  prompt: Prompt,
  { shape, call, files }: { shape: Shape; call: Call; files: FetchedFiles },
): Prompt {
  const losses: Loss[] = [];
  const filled = (part: Part): readonly Part[] => {
    if (part.type === "result") return [{ ...part, parts: part.parts.flatMap(filled) }];
    const address = fetchable(part, shape, call);
    const file = address !== undefined && Object.hasOwn(files, address) ? files[address] : undefined;
    if (file === undefined) return [part];
    if ("bytes" in file) return [asFile(part, file)];
    losses.push({
      kind: "refused",
      path: part.at ?? "messages",
      why: `its address could not be fetched: ${file.failure}`,
    });
    return [];
  };
  const messages = prompt.messages.map((message): Message => ({ ...message, parts: message.parts.flatMap(filled) }));
  return { ...prompt, messages, losses: [...prompt.losses, ...losses] };
}

function fetchable(part: Part, { takes = {} }: Shape, { facts: { input } }: Call): string | undefined {
  if ((part.type !== "image" && part.type !== "file") || !("url" in part.source)) return undefined;
  // A file that the model does not accept at all is refused in any case.
  if (takes[part.type === "image" ? "imageUrl" : "fileUrl"] !== "F" || input?.includes(part.type) === false)
    return undefined;
  return HTTP.test(part.source.url) ? part.source.url : undefined;
}

/** A file as a part by its media type, because clients also send sounds and pictures as files. */
function asFile(part: Part, { mediaType, bytes }: { readonly mediaType: string; readonly bytes: string }): Part {
  const { at, cache } = part;
  const source = { mediaType, bytes };
  const placed = { ...(at !== undefined && { at }), ...(cache !== undefined && { cache }) };
  if (mediaType.startsWith("audio/")) return { type: "audio", source, ...placed };
  if (mediaType.startsWith("image/"))
    return part.type === "image" ? { ...part, source } : { type: "image", source, ...placed };
  return part.type === "file" ? { ...part, source } : { type: "file", source, ...placed };
}
