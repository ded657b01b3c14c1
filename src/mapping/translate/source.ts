import type { Source } from "../../plugin-host/contract.ts";

/** An address as the source of a part; a `data:` address contains its bytes. */
export function sourceOf(address: string): Source {
  if (!address.startsWith("data:")) return { url: address };
  const comma = address.indexOf(",");
  const head = address.slice("data:".length, comma === -1 ? undefined : comma);
  const body = comma === -1 ? "" : address.slice(comma + 1);
  const parameters = head.split(";");
  const type = parameters[0] || "application/octet-stream";
  if (parameters.includes("base64")) return { bytes: body, mediaType: type };
  return { bytes: Buffer.from(unescaped(body), "utf8").toString("base64"), mediaType: type };
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Bytes as a `data:` address, and an address unchanged; `undefined` for a provider's own file. */
export function addressOf(source: Source): string | undefined {
  if ("url" in source) return source.url;
  if ("bytes" in source) return `data:${source.mediaType};base64,${source.bytes}`;
  if ("text" in source) return `data:${source.mediaType};base64,${Buffer.from(source.text, "utf8").toString("base64")}`;
  return undefined;
}

const ENDINGS: Readonly<Record<string, string>> = {
  "text/plain": "txt",
  "text/html": "html",
  "text/csv": "csv",
  "text/markdown": "md",
  "application/json": "json",
};

/** A name for a file without one: some APIs require a name and use its extension. */
export function fileName(source: Source): string {
  const type = "mediaType" in source ? source.mediaType : "";
  return `file.${Object.hasOwn(ENDINGS, type) ? ENDINGS[type] : "pdf"}`;
}
