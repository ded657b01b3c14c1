/** How many bytes of a stream's end are searched. */
const TAIL_BYTES = 256 * 1_024;

/**
 * Content of a stream's last event, in each wire format. Inside a JSON string these quotes would be escaped. Sources: the
 * providers' references on streaming.
 */
const LAST_EVENTS: readonly RegExp[] = [
  /^data: ?\[DONE\]\s*$/m, // chat completions and similar formats
  /^event: ?(?:message_stop|response\.(?:completed|incomplete|failed)|message-end|interaction\.complete)\s*$/m,
  /"type": ?"(?:message_stop|response\.(?:completed|incomplete|failed)|message-end)"/,
  /"choices": ?\[\](?=[\s\S]*"usage": ?\{)|"usage": ?\{(?=[\s\S]*"choices": ?\[\])/, // the chunk of `include_usage`
  /"finishReason": ?"(?=[\s\S]*"usageMetadata")|"usageMetadata"(?=[\s\S]*"finishReason": ?")/, // Gemini
  /"done": ?true\b/, // Ollama
];

/**
 * Whether a stream's last event has arrived completely, so that a client that leaves now has its entire response. Checked
 * only then: some clients leave at the last event, and the end of the body may come later.
 *
 * @param chunks - the last ones, in order and uncompressed.
 */
export function isWholeStream(chunks: readonly Uint8Array[]): boolean {
  const tail = Buffer.concat(chunks.map((chunk) => chunk.subarray(-TAIL_BYTES)))
    .subarray(-TAIL_BYTES)
    .toString("latin1");
  // An event ends with a blank line, a line of NDJSON with a line end.
  const isLines = /^\s*\{/.test(tail.slice(tail.trimEnd().lastIndexOf("\n") + 1));
  if (!/(?:\r\n|\n|\r){2}$/.test(tail) && !(isLines && /\n$/.test(tail))) return false;
  const last = tail
    .trimEnd()
    .split(isLines ? /\r?\n/ : /(?:\r\n|\n|\r){2}/)
    .at(-1)!;
  return LAST_EVENTS.some((pattern) => pattern.test(last));
}
