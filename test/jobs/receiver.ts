import { createHmac, timingSafeEqual } from "node:crypto";
import { until } from "../until.ts";

/** A request that a receiver of webhooks got. */
export interface Received {
  readonly id: string;
  readonly timestamp: number;
  readonly signature: string;
  readonly headers: Headers;
  readonly path: string;
  readonly text: string;
  /** The response that it got. */
  readonly status: number;
}

export interface Receiver extends Disposable {
  readonly url: string;
  readonly received: readonly Received[];
  /** Those that got a 200. */
  accepted(): readonly Received[];
  /** Resolves with the first of those that got a 200, once there are so many. */
  waitFor(count: number): Promise<readonly Received[]>;
}

/** Listens on loopback and responds as `answer` says, by default with 200. */
export function startReceiver(
  respond: (seen: number) => Response | Promise<Response> = () => new Response(),
): Receiver {
  const received: Received[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const text = await request.text();
      const response = await respond(received.length);
      received.push({
        id: request.headers.get("webhook-id") ?? "",
        timestamp: Number(request.headers.get("webhook-timestamp")),
        signature: request.headers.get("webhook-signature") ?? "",
        headers: request.headers,
        path: new URL(request.url).pathname,
        text,
        status: response.status,
      });
      return response;
    },
  });
  const accepted = () => received.filter(({ status }) => status === 200);
  return {
    url: `http://127.0.0.1:${server.port}/hook`,
    received,
    accepted,
    async waitFor(count) {
      await until(
        () => accepted().length >= count,
        180_000,
        () => `${accepted().length} of ${count} deliveries, ${received.length} in all`,
      );
      return accepted().slice(0, count);
    },
    [Symbol.dispose]: () => void server.stop(true),
  };
}

/** As a receiver would check it: the scheme's own words, no code of ours. */
export function isSignedWith(secret: string, { id, timestamp, signature, text }: Received): boolean {
  const key = Buffer.from(secret.slice("whsec_".length), "base64");
  const wanted = createHmac("sha256", key).update(`${id}.${timestamp}.${text}`).digest();
  return signature.split(" ").some((each) => {
    const given = Buffer.from(each.replace(/^v1,/, ""), "base64");
    return given.length === wanted.length && timingSafeEqual(given, wanted);
  });
}
