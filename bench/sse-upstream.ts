/**
 * A provider for the stream benchmarks, in a process of its own: every request is answered with `events` events, the
 * first at once, then one each `everyMs`. Prints its port; on SIGUSR2 the most streams that were open at once.
 *
 * Run: `bun bench/sse-upstream.ts <events> <everyMs>`.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const events = Number(process.argv[2] ?? 10);
const everyMs = Number(process.argv[3] ?? 1_000);
let open = 0;
let mostOpen = 0;

const server = createServer((request, response) => {
  request.resume();
  request.on("end", () => {
    open += 1;
    mostOpen = Math.max(mostOpen, open);
    let index = 0;
    response.writeHead(200, { "content-type": "text/event-stream" });
    const next = () => {
      const last = index === events - 1;
      response.write(event(index++, last));
      if (last) {
        clearInterval(timer);
        response.end("data: [DONE]\n\n");
      }
    };
    const timer = setInterval(next, everyMs);
    response.on("close", () => {
      clearInterval(timer);
      open -= 1;
    });
    next();
  });
});

function event(index: number, last: boolean): string {
  const choices = [{ index: 0, delta: { content: `word ${index} ` }, finish_reason: last ? "stop" : null }];
  const usage = last ? { prompt_tokens: 9, completion_tokens: index + 1, total_tokens: index + 10 } : null;
  return `data: ${JSON.stringify({ id: "chatcmpl-1", object: "chat.completion.chunk", model: "gpt-4o-mini", choices, usage })}\n\n`;
}

process.on("SIGUSR2", () => console.log(`most_open ${mostOpen}`));
server.listen({ port: 0, host: "127.0.0.1", backlog: 4_096 }, () =>
  console.log(`port ${(server.address() as AddressInfo).port}`),
);
