import { Agent, type ClientRequest, request } from "node:http";
import { gatewayHeaders } from "./weir.ts";

/** What a client saw of one response. */
export interface SeenResponse {
  /** `gateway-id` of the response head. */
  readonly id: string;
  readonly kind: string;
  readonly status: number;
  /** Whether the whole response arrived. */
  complete: boolean;
  /** Whether the client itself went away. */
  left: boolean;
  /** What was sent, another text each time, and the pieces that came back. */
  readonly sent: Buffer;
  readonly received: Buffer[];
}

interface Kind {
  readonly name: string;
  readonly path: string;
  /** @param mark - makes it another one. */
  readonly body: (mark: string) => string | Buffer;
  /** The client leaves after this many milliseconds. */
  readonly leavesAfterMs?: number;
}

const chat = (stream: boolean) => (mark: string) =>
  JSON.stringify({
    model: "gpt-4o-mini",
    stream,
    messages: [{ role: "user", content: `How much does the weir hold? ${mark}` }],
  });

const other = (mark: string) => JSON.stringify({ mark });

/** Small and large, quick and slow, plain and streamed, taken and left. */
const KINDS: readonly Kind[] = [
  { name: "plain", path: "/v1/chat/completions", body: chat(false) },
  { name: "stream", path: "/v1/chat/completions", body: chat(true) },
  { name: "long stream", path: "/events?n=60&ms=5", body: other },
  { name: "upload", path: "/echo", body: (mark) => Buffer.alloc(200_000, `weir ${mark} `) },
  { name: "slow", path: "/slow?ms=120", body: other },
  { name: "download", path: "/bytes?n=400000", body: other },
  { name: "leaves", path: "/endless", body: other, leavesAfterMs: 40 },
];

export interface Load {
  readonly seen: readonly SeenResponse[];
  /** Starts nothing new and resolves when all that is under way has ended one way or the other. */
  stop(): Promise<void>;
}

/** Keeps `clients` exchanges of mixed kinds under way until stopped; what fails is simply followed by the next. */
export function startLoad(gatewayPort: number, upstreamOrigin: string, clients: number): Load {
  const seen: SeenResponse[] = [];
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
function ask(kind: Kind, port: number, target: string, agent: Agent, seen: SeenResponse[]): Promise<boolean> {
  return new Promise((resolve) => {
    let seenResponse: SeenResponse | undefined;
    const end = () => resolve(seenResponse !== undefined);
    const sent = Buffer.from(kind.body(crypto.randomUUID()));
    const call: ClientRequest = request({
      host: "127.0.0.1",
      port,
      agent,
      method: "POST",
      path: kind.path,
      headers: {
        ...gatewayHeaders(target, { "Gateway-Property-Kind": kind.name }),
        "Content-Type": "application/json",
        "Content-Length": String(sent.length),
      },
    });
    call.on("response", (response) => {
      const id = String(response.headers["gateway-id"] ?? "");
      const status = response.statusCode ?? 0;
      const received: Buffer[] = [];
      seenResponse = { id, kind: kind.name, status, complete: false, left: false, sent, received };
      seen.push(seenResponse);
      response.on("data", (piece: Buffer) => received.push(piece));
      response.on("end", () => {
        seenResponse!.complete = response.complete;
      });
      response.on("error", end);
      response.on("close", end);
      if (kind.leavesAfterMs !== undefined)
        setTimeout(() => {
          seenResponse!.left = !response.closed;
          call.destroy();
        }, kind.leavesAfterMs);
    });
    call.on("error", end);
    call.on("close", end);
    call.end(sent);
  });
}
