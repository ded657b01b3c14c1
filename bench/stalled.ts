/**
 * Clients that request large responses and then do not read.
 *
 * Claim: the memory of Weir stays flat while they stall, and every response arrives whole when they read on.
 * Run: `bun bench/stalled.ts [--clients 100] [--bytes 20000000] [--seconds 10]`.
 */
import { connect, type Socket } from "node:net";
import { parseArgs } from "node:util";
import { startUpstream } from "../test/e2e/upstream.ts";
import { gatewayHeaders, residentMb, startWeir } from "../test/e2e/weir.ts";
import { pause } from "./measured.ts";

const { values } = parseArgs({
  options: {
    clients: { type: "string", default: "100" },
    bytes: { type: "string", default: "20000000" },
    seconds: { type: "string", default: "10" },
  },
});
const [clients, bytes, seconds] = [values.clients, values.bytes, values.seconds].map(Number) as [
  number,
  number,
  number,
];

await using upstream = await startUpstream();
await using weir = await startWeir();
const head = Object.entries(gatewayHeaders(upstream.origin))
  .map(([name, value]) => `${name}: ${value}\r\n`)
  .join("");

/** Reads until the first body bytes, then not at all until `readOn`. */
class Staller {
  readonly #socket: Socket;
  #body = 0;
  readonly whole: Promise<boolean>;

  constructor() {
    this.#socket = connect({ port: weir.gatewayPort, host: "127.0.0.1" });
    let headed = false;
    let text = "";
    this.whole = new Promise((resolve) => {
      this.#socket.on("data", (chunk: Buffer) => {
        if (headed) this.#body += chunk.byteLength;
        else {
          text += chunk.toString("latin1");
          const end = text.indexOf("\r\n\r\n");
          if (end < 0) return;
          headed = true;
          this.#body += text.length - end - 4;
          this.#socket.pause();
        }
        if (this.#body >= bytes) {
          resolve(this.#body === bytes);
          this.#socket.destroy();
        }
      });
      this.#socket.on("error", () => this.#socket.destroy());
      this.#socket.on("close", () => resolve(false));
    });
    this.#socket.write(`POST /bytes?n=${bytes} HTTP/1.1\r\nHost: bench\r\n${head}Content-Length: 2\r\n\r\n{}`);
  }

  readOn(): void {
    this.#socket.resume();
  }
}

const idleMb = residentMb(weir.pid);
const stallers = Array.from({ length: clients }, () => new Staller());
const samples: number[] = [];
for (let second = 0; second < seconds; second += 1) {
  await pause(1_000);
  samples.push(residentMb(weir.pid));
}
console.log(`${clients} clients stalled on answers of ${bytes} bytes for ${seconds} s`);
console.log(`memory: idle ${idleMb.toFixed(0)} MB; each second ${samples.map((mb) => mb.toFixed(0)).join(" ")} MB`);
console.log(
  `per client ${(((Math.max(...samples) - idleMb) * 1024) / clients).toFixed(0)} kB of ${(bytes / 1024).toFixed(0)} kB asked for`,
);
let mostMb = 0;
const watch = setInterval(() => (mostMb = Math.max(mostMb, residentMb(weir.pid))), 50);
for (const staller of stallers) staller.readOn();
const whole = (await Promise.all(stallers.map((staller) => staller.whole))).filter(Boolean).length;
clearInterval(watch);
console.log(`read on: whole ${whole} of ${clients}, most memory ${mostMb.toFixed(0)} MB`);
await pause(3_000);
console.log(`three seconds later: ${residentMb(weir.pid).toFixed(0)} MB`);
process.exitCode = whole === clients ? 0 : 1;
