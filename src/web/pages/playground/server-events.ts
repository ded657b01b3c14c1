/** The data of each event of a stream, as JSON; other data, such as `[DONE]`, is left out. */
export async function* serverEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<unknown> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let waiting = "";
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      waiting += decoder.decode(read.value, { stream: true });
      const events = waiting.split(/\r?\n\r?\n/);
      waiting = events.pop() ?? "";
      for (const event of events) yield* dataOf(event);
    }
    yield* dataOf(waiting);
  } finally {
    reader.releaseLock();
  }
}

function* dataOf(event: string): Generator<unknown> {
  const lines = event.split(/\r?\n/).filter((line) => line.startsWith("data:"));
  const data = lines.map((line) => line.slice(5).replace(/^ /, "")).join("\n");
  if (data === "") return;
  try {
    yield JSON.parse(data);
  } catch {
    // Not an event of these APIs: `[DONE]`, or text that an intermediary inserted.
  }
}
