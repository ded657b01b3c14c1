import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { until } from "../../test/until.ts";
import { pause } from "../measured.ts";

/** Connections opened in one turn of the event loop. */
const OPENED_A_TURN = 16;

export interface StreamLoad {
  readonly streams: number;
  /** Milliseconds over which they are opened; 0 opens them as fast as the client can. */
  readonly rampMs: number;
  /** Events of each, as the provider sends them. */
  readonly events: number;
}

export interface Stream {
  /** From the connection to the first event. */
  readonly firstMs: number;
  readonly complete: boolean;
  /** `gateway-id`; empty where there is none. */
  readonly id: string;
}

const BODY = JSON.stringify({ model: "gpt-4o-mini", stream: true, messages: [{ role: "user", content: "count" }] });

/**
 * Opens streams to one port, each on a connection of its own, and waits for their ends. Each sends its request as soon as it
 * is connected, as clients of their own do: in one loop over all of them none would send before the last one is connected.
 */
export async function openStreams(
  port: number,
  headers: Readonly<Record<string, string>>,
  { streams, rampMs, events }: StreamLoad,
): Promise<Stream[]> {
  const lines = Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("");
  const head = `POST /v1/chat/completions HTTP/1.1\r\nHost: bench\r\n${lines}Content-Type: application/json\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`;
  const startedAt = performance.now();
  const all: Promise<Stream>[] = [];
  while (all.length < streams) {
    const due =
      rampMs === 0 ? streams : Math.min(streams, Math.ceil(((performance.now() - startedAt) / rampMs) * streams));
    const inTurn = Math.min(due, all.length + OPENED_A_TURN);
    while (all.length < inTurn) all.push(openStream(port, head, events));
    await (all.length < due ? nextTurn() : pause(2));
  }
  return Promise.all(all);
}

/** Bun's own sockets: thousands of streams must not wait for the client that measures them. */
async function openStream(port: number, head: string, events: number): Promise<Stream> {
  const startedAt = performance.now();
  let [firstMs, complete, id, text] = [Number.NaN, false, "", ""];
  const { promise: closed, resolve: close } = Promise.withResolvers<void>();
  await Bun.connect({
    hostname: "127.0.0.1",
    port,
    socket: {
      open: (socket) => void socket.write(head),
      data(socket, chunk) {
        text += chunk.toString("latin1");
        if (id === "") id = /\r\ngateway-id: ([^\r]+)/i.exec(text)?.[1] ?? "";
        if (Number.isNaN(firstMs) && text.includes("data: {")) firstMs = performance.now() - startedAt;
        if (text.endsWith("\r\n0\r\n\r\n") && text.includes("data: [DONE]\n\n")) {
          complete = text.split("data: {").length - 1 === events;
          socket.end();
        }
      },
      close: () => close(),
    },
  }).catch(() => close());
  await closed;
  return { firstMs, complete, id };
}

/** The provider of the stream benchmarks, in a process of its own. */
export async function startSseProvider(events: number, everyMs: number) {
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, "../sse-upstream.ts"), String(events), String(everyMs)],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  let said = "";
  child.stdout.on("data", (chunk) => (said += chunk));
  await until(
    () => said.includes("port "),
    5_000,
    () => "the upstream did not start",
  );
  return {
    port: Number(/port (\d+)/.exec(said)![1]),
    /** The most streams that were open at once so far. */
    async mostOpen(): Promise<number> {
      said = "";
      child.kill("SIGUSR2");
      await until(
        () => said.includes("most_open"),
        2_000,
        () => "the upstream is silent",
      );
      return Number(/most_open (\d+)/.exec(said)![1]);
    },
    async stop(): Promise<void> {
      child.kill();
      await once(child, "exit");
    },
  };
}
