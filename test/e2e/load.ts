import { Agent, type ClientRequest, request } from "node:http";
import { gatewayHeaders } from "./weir.ts";

/** What a client saw of one answer. */
export interface SeenAnswer {
  /** `gateway-id` of the response head. */
  readonly id: string;
  readonly kind: string;
  readonly status: number;
  /** Whether the whole answer arrived. */
  complete: boolean;
  /** Whether the client itself went away. */
  left: boolean;
}

interface Kind {
  readonly name: string;
  readonly path: string;
  readonly body: string | Buffer;
  /** The client leaves after this many milliseconds. */
  readonly leavesAfterMs?: number;
}

const chat = (stream: boolean) =>
  JSON.stringify({
    model: "gpt-4o-mini",
    stream,
    messages: [{ role: "user", content: "How much does the weir hold?" }],
  });

/** Small and large, quick and slow, plain and streamed, taken and left. */
const KINDS: readonly Kind[] = [
  { name: "plain", path: "/v1/chat/completions", body: chat(false) },
  { name: "stream", path: "/v1/chat/completions", body: chat(true) },
  { name: "long stream", path: "/events?n=60&ms=5", body: "{}" },
  { name: "upload", path: "/echo", body: Buffer.alloc(200_000, "weir ") },
  { name: "slow", path: "/slow?ms=120", body: "{}" },
  { name: "download", path: "/bytes?n=400000", body: "{}" },
  { name: "leaves", path: "/endless", body: "{}", leavesAfterMs: 40 },
];

export interface Load {
  readonly seen: readonly SeenAnswer[];
  /** Starts nothing new and resolves when all that is under way has ended one way or the other. */
  stop(): Promise<void>;
}

/** Keeps `clients` exchanges of mixed kinds under way until stopped; what fails is simply followed by the next. */
export function startLoad(gatewayPort: number, upstreamOrigin: string, clients: number): Load {
  const seen: SeenAnswer[] = [];
  const agent = new Agent({ keepAlive: true });
  let stopped = false;
  let turn = 0;
  const workers = Array.from({ length: clients }, async () => {
    while (!stopped) {
      const ended = await ask(KINDS[turn++ % KINDS.length]!, gatewayPort, upstreamOrigin, agent, seen);
      if (!ended) await new Promise((wake) => setTimeout(wake, 10));
    }
  });
  return {
    seen,
    async stop() {
      stopped = true;
      await Promise.all(workers);
      agent.destroy();
    },
  };
}

/** One exchange. Resolves, never rejects; false where no response head came. */
function ask(kind: Kind, port: number, target: string, agent: Agent, seen: SeenAnswer[]): Promise<boolean> {
  return new Promise((resolve) => {
    let answer: SeenAnswer | undefined;
    const end = () => resolve(answer !== undefined);
    const call: ClientRequest = request({
      host: "127.0.0.1",
      port,
      agent,
      method: "POST",
      path: kind.path,
      headers: {
        ...gatewayHeaders(target, { "Gateway-Property-Kind": kind.name }),
        "Content-Type": "application/json",
        "Content-Length": String(Buffer.byteLength(kind.body)),
      },
    });
    call.on("response", (response) => {
      const id = String(response.headers["gateway-id"] ?? "");
      answer = { id, kind: kind.name, status: response.statusCode ?? 0, complete: false, left: false };
      seen.push(answer);
      response.on("end", () => {
        answer!.complete = response.complete;
      });
      response.on("error", end);
      response.on("close", end);
      response.resume();
      if (kind.leavesAfterMs !== undefined)
        setTimeout(() => {
          answer!.left = !response.closed;
          call.destroy();
        }, kind.leavesAfterMs);
    });
    call.on("error", end);
    call.on("close", end);
    call.end(kind.body);
  });
}
