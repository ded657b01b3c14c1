import { nodeSockets } from "../../src/runtime/http/sockets.ts";
import { createStrictUpstream } from "../../src/runtime/http/strict-upstream.ts";
import type {
  Upstream,
  UpstreamCall,
  UpstreamError,
  UpstreamOptions,
  UpstreamRequest,
} from "../../src/runtime/http/upstream.ts";
import { createNodeUpstream } from "./node-upstream.ts";

const atTurnEnd = (work: () => void) => void setImmediate(work);

/** Both clients; everything that is true of one has to be true of the other. */
export const UPSTREAMS = [
  ["node:http", createNodeUpstream],
  ["strict", createStrictUpstream],
  ["strict, at the turn's end", (options: UpstreamOptions) => createStrictUpstream({ ...options, atTurnEnd })],
  [
    "strict, node:net",
    (options: UpstreamOptions) => createStrictUpstream({ ...options, sockets: nodeSockets, atTurnEnd }),
  ],
] as const;

export const loopback: UpstreamOptions["resolve"] = async () => [{ address: "127.0.0.1", family: 4 }];

interface Received {
  status?: number;
  reason?: string;
  headers?: string[];
  readonly informations: number[];
  body: Buffer;
  readonly chunks: number[];
  ended?: true;
  error?: UpstreamError;
}

interface Sent {
  readonly response: Received;
  readonly call: UpstreamCall;
  readonly head: Promise<void>;
  /** Resolves when the exchange has ended, one way or the other. */
  readonly done: Promise<Received>;
  /** Resolves at the next drain. */
  drained: () => Promise<void>;
}

/** Opens a request and gathers what comes of it; calls after the end become an error of the test. */
export function ask(upstream: Upstream, port: number, request: Partial<UpstreamRequest> = {}): Sent {
  const response: Received = { informations: [], body: Buffer.alloc(0), chunks: [] };
  const head = Promise.withResolvers<void>();
  const done = Promise.withResolvers<Received>();
  let drained = Promise.withResolvers<void>();
  let over = false;
  const finish = () => {
    if (over) done.reject(new Error("an exchange ended twice"));
    over = true;
    head.resolve();
    done.resolve(response);
  };
  const call = upstream.open(
    {
      origin: { secure: false, host: "provider.test", port },
      method: "GET",
      path: "/",
      headers: ["Host", "provider.test"],
      framing: "none",
      ...request,
    },
    {
      onInformation: (status) => void response.informations.push(status),
      onHead(status, reason, headers) {
        Object.assign(response, { status, reason, headers });
        head.resolve();
      },
      onData(bytes) {
        if (over) done.reject(new Error("bytes came behind the end"));
        response.body = Buffer.concat([response.body, bytes]);
        response.chunks.push(bytes.byteLength);
      },
      onEnd() {
        response.ended = true;
        finish();
      },
      onError(error) {
        response.error = error;
        finish();
      },
      onDrain() {
        drained.resolve();
        drained = Promise.withResolvers();
      },
    },
  );
  return { response, call, head: head.promise, done: done.promise, drained: () => drained.promise };
}
