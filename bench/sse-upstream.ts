/**
 * A provider for the stream benchmarks, in a process of its own: every request gets `events` events, the
 * first at once, then one each `everyMs`. Prints its port; on SIGUSR2 the most streams that were open at once.
 * On Bun's own sockets: with `node:http` it took more time for a stream than the gateway that is measured.
 *
 * Run: `bun bench/sse-upstream.ts <events> <everyMs>`.
 */
import type { Socket } from "bun";

const events = Number(process.argv[2] ?? 10);
const everyMs = Number(process.argv[3] ?? 1_000);
let open = 0;
let mostOpen = 0;

const HEAD = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;

function event(index: number): string {
  const last = index === events - 1;
  const choices = [{ index: 0, delta: { content: `word ${index} ` }, finish_reason: last ? "stop" : null }];
  const usage = last ? { prompt_tokens: 9, completion_tokens: index + 1, total_tokens: index + 10 } : null;
  const data = { id: "chatcmpl-1", object: "chat.completion.chunk", model: "gpt-4o-mini", choices, usage };
  return chunk(`data: ${JSON.stringify(data)}\n\n${last ? "data: [DONE]\n\n" : ""}`) + (last ? chunk("") : "");
}

const EVENTS = Array.from({ length: events }, (_, index) => event(index));

interface Connection {
  /** What has come of the next request. */
  request: string;
  timer?: NodeJS.Timeout;
}

/** How many characters the first whole request of the text has; 0 while some of it is missing. */
function requestLength(text: string): number {
  const headEnd = text.indexOf("\r\n\r\n") + 4;
  const length = headEnd + Number(/\r\ncontent-length: (\d+)/i.exec(text)?.[1] ?? 0);
  return headEnd < 4 || text.length < length ? 0 : length;
}

function respond(socket: Socket<Connection>): void {
  open += 1;
  mostOpen = Math.max(mostOpen, open);
  socket.write(HEAD + EVENTS[0]);
  let next = 1;
  if (events === 1) {
    end(socket);
    return;
  }
  socket.data.timer = setInterval(() => {
    socket.write(EVENTS[next++]!);
    if (next === events) end(socket);
  }, everyMs);
}

function end(socket: Socket<Connection>): void {
  clearInterval(socket.data.timer);
  delete socket.data.timer;
  open -= 1;
}

const server = Bun.listen<Connection>({
  hostname: "127.0.0.1",
  port: 0,
  socket: {
    open(socket) {
      socket.data = { request: "" };
    },
    data(socket, bytes) {
      const { data } = socket;
      data.request += bytes.toString("latin1");
      const length = requestLength(data.request);
      if (length === 0) return;
      data.request = data.request.slice(length);
      respond(socket);
    },
    close(socket) {
      if (socket.data.timer) end(socket);
    },
  },
});
process.on("SIGUSR2", () => console.log(`most_open ${mostOpen}`));
console.log(`port ${server.port}`);
