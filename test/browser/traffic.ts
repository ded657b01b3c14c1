import { crc32, deflateSync } from "node:zlib";
import type { Json } from "../../src/plugin-host/contract.ts";
import { chance } from "../chance.ts";
import { gatewayHeaders, recordOf, type Weir } from "../e2e/weir.ts";

/** A provider that responds as the test says. */
export interface Provider extends Disposable {
  readonly origin: string;
}

export function startProvider(respond: (path: string, body: Json) => Response | Promise<Response>): Provider {
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) => respond(new URL(request.url).pathname, await request.json().catch(() => undefined)),
  });
  return { origin: `http://127.0.0.1:${server.port}`, [Symbol.dispose]: () => void server.stop(true) };
}

interface Sent {
  readonly path?: string;
  readonly body?: Json;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends one request through the gateway. @returns its id, once it is recorded. */
export async function send(weir: Weir, provider: Provider, { path, body, headers }: Sent = {}): Promise<string> {
  const response = await fetch(weir.gateway + (path ?? "/v1/chat/completions"), {
    method: "POST",
    headers: { ...gatewayHeaders(provider.origin), "content-type": "application/json", ...headers },
    body: JSON.stringify(body ?? chat("hello")),
  });
  await response.arrayBuffer();
  const id = response.headers.get("gateway-id")!;
  await recordOf(weir, id);
  return id;
}

export function chat(text: string, model = "gpt-4o-mini"): Json {
  return { model, messages: [{ role: "user", content: text }] };
}

/** A square picture of noise, which no compression makes short. */
export function png(side: number): Buffer {
  const chunk = (type: string, content: Buffer) => {
    const named = Buffer.concat([Buffer.from(type), content]);
    const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(content.byteLength);
    check.writeUInt32BE(crc32(named));
    return Buffer.concat([length, named, check]);
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(side, 0);
  head.writeUInt32BE(side, 4);
  head.set([8, 2], 8); // eight bits each of red, green and blue
  const random = chance("pixels");
  const lines = Array.from({ length: side }, () => Buffer.concat([Buffer.from([0]), random.bytes(side * 3)]));
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const chunks = [
    chunk("IHDR", head),
    chunk("IDAT", deflateSync(Buffer.concat(lines))),
    chunk("IEND", Buffer.alloc(0)),
  ];
  return Buffer.concat([signature, ...chunks]);
}

/** A second of silence. */
export function wav(): Uint8Array<ArrayBuffer> {
  const rate = 8_000;
  const head = Buffer.alloc(44);
  head.write("RIFF", 0);
  head.writeUInt32LE(36 + rate, 4);
  head.write("WAVEfmt ", 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20); // PCM
  head.writeUInt16LE(1, 22); // one channel
  head.writeUInt32LE(rate, 24);
  head.writeUInt32LE(rate, 28);
  head.writeUInt16LE(1, 32);
  head.writeUInt16LE(8, 34);
  head.write("data", 36);
  head.writeUInt32LE(rate, 40);
  return Uint8Array.from(Buffer.concat([head, Buffer.alloc(rate, 128)]));
}

/** A response of OpenAI. */
export function completion(text: string, more: Json = {}, model = "gpt-4o-mini"): Json {
  return {
    id: "chatcmpl-1",
    object: "chat.completion",
    model,
    choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: text, ...more } }],
    usage: { prompt_tokens: 12, completion_tokens: 8, total_tokens: 20 },
  };
}
