/** Magic bytes of each file type, with their offset. */
const BEGINNINGS: readonly (readonly [mediaType: string, at: number, bytes: string])[] = [
  ["image/png", 0, "\x89PNG\r\n\x1a\n"],
  ["image/jpeg", 0, "\xff\xd8\xff"],
  ["image/gif", 0, "GIF8"],
  ["image/webp", 8, "WEBP"],
  ["application/pdf", 0, "%PDF-"],
  ["audio/wav", 8, "WAVE"],
  ["audio/mpeg", 0, "ID3"],
  ["audio/mpeg", 0, "\xff\xfb"],
  ["audio/ogg", 0, "OggS"],
  ["audio/flac", 0, "fLaC"],
];
/** Generic types, which storage services send. */
const SAYS_NOTHING: ReadonlySet<string> = new Set(["", "application/octet-stream", "binary/octet-stream"]);
const TAKEN = /^(?:image\/|audio\/|application\/pdf$)/;

/** The type of an image, a PDF or a sound, by its header, else by its first bytes; undefined for anything else. */
export function mediaTypeOf(contentType: string | undefined, bytes: Uint8Array): string | undefined {
  const said = (contentType ?? "").split(";", 1)[0]!.trim().toLowerCase();
  if (TAKEN.test(said)) return said === "image/jpg" ? "image/jpeg" : said;
  if (!SAYS_NOTHING.has(said)) return undefined;
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, 16)).toString("latin1");
  return BEGINNINGS.find(([, at, text]) => start.startsWith(text, at))?.[0];
}
