/**
 * The least that records a request on Bun's sockets: heads read by line, credentials masked, five frames with checksums, one
 * write to the journal before a turn's responses leave, connections kept. It has no keys, limits, plugins, timeouts,
 * back-pressure or strictness, and its journal is not read. Run by `bench/floor.ts`: `bun minimal-gateway.ts PORT JOURNAL`.
 */
import { openSync, writeSync } from "node:fs";
import { crc32 } from "node:zlib";

const FRAME_HEAD_BYTES = 25;
const CREDENTIALS = new Set(["authorization", "gateway-auth", "x-api-key", "cookie"]);

type Fields = readonly (readonly [name: string, value: string])[];

/** A message whose bytes have all come. */
interface Message {
  readonly line: string;
  readonly fields: Fields;
  readonly body: Buffer;
}

interface Client {
  rest: Buffer | undefined;
}

interface Provider {
  rest: Buffer | undefined;
  client: Bun.Socket<Client>;
  id: string;
}

const [port, journalFile] = process.argv.slice(2) as [string, string];
const file = openSync(journalFile, "w");
const journal = Buffer.allocUnsafe(4 * 1024 * 1024);
let used = 0;
let leaving: (() => void)[] = [];
let isTurnPlanned = false;
const idle: Bun.Socket<Provider>[] = [];

function frame(kind: number, id: string, payload: Buffer | object): void {
  const start = used;
  used += FRAME_HEAD_BYTES;
  used += Buffer.isBuffer(payload) ? payload.copy(journal, used) : journal.write(JSON.stringify(payload), used, "utf8");
  journal[start + 8] = kind;
  journal.write(id.slice(0, 16), start + 9, "latin1");
  journal.writeUInt32LE(used - start, start);
  journal.writeUInt32LE(crc32(journal.subarray(start + 8, used)), start + 4);
  if (isTurnPlanned) return;
  isTurnPlanned = true;
  setImmediate(endTurn);
}

function endTurn(): void {
  isTurnPlanned = false;
  writeSync(file, journal, 0, used);
  used = 0;
  const leavingNow = leaving;
  leaving = [];
  for (const leave of leavingNow) leave();
}

/** Adds `bytes` to what `from` has kept. @returns the message, once it is whole. */
function messageOf(from: { rest: Buffer | undefined }, bytes: Buffer): Message | undefined {
  const all = from.rest === undefined ? bytes : Buffer.concat([from.rest, bytes]);
  from.rest = all;
  const end = all.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const [line = "", ...lines] = all.toString("latin1", 0, end).split("\r\n");
  const fields = lines.map((text) => {
    const colon = text.indexOf(":");
    return [text.slice(0, colon), text.slice(colon + 1).trim()] as const;
  });
  const length = Number(fields.find(([name]) => name.toLowerCase() === "content-length")?.[1] ?? 0);
  if (all.byteLength < end + 4 + length) return undefined;
  from.rest = undefined;
  return { line, fields, body: all.subarray(end + 4) };
}

const masked = (fields: Fields) =>
  fields.map(([name, value]) => [name, CREDENTIALS.has(name.toLowerCase()) ? "***" : value]);

function bytesOf(line: string, fields: Fields, body: Buffer): Buffer {
  let text = `${line}\r\n`;
  for (const [name, value] of fields) text += `${name}: ${value}\r\n`;
  text += "\r\n";
  const bytes = Buffer.allocUnsafe(text.length + body.byteLength);
  bytes.write(text, 0, "latin1");
  body.copy(bytes, text.length);
  return bytes;
}

function pass(client: Bun.Socket<Client>, { line, fields, body }: Message): void {
  const id = Bun.randomUUIDv7();
  const target = fields.find(([name]) => name.toLowerCase() === "gateway-target-url")?.[1] ?? "";
  frame(1, id, { line, target, headers: masked(fields), time: Date.now() });
  frame(2, id, body);
  const forwarded = fields.filter(([name]) => !name.toLowerCase().startsWith("gateway-"));
  const bytes = bytesOf(line, forwarded, body);
  const kept = idle.pop();
  if (kept === undefined) {
    const { hostname, port: targetPort } = new URL(target);
    const data = { rest: undefined, client, id };
    const open = (provider: Bun.Socket<Provider>) => void provider.write(bytes);
    void Bun.connect<Provider>({ hostname, port: Number(targetPort), data, socket: { open, data: respond } });
  } else {
    Object.assign(kept.data, { client, id });
    kept.write(bytes);
  }
}

function respond(provider: Bun.Socket<Provider>, bytes: Buffer): void {
  const { client, id } = provider.data;
  const message = messageOf(provider.data, bytes);
  if (message === undefined) return;
  const { line, fields, body } = message;
  frame(3, id, { line, headers: masked(fields), time: Date.now() });
  frame(4, id, body);
  frame(5, id, { outcome: "complete", responseBytes: body.byteLength, time: Date.now() });
  const response = bytesOf(line, [...fields, ["gateway-id", id]], body);
  leaving.push(() => client.write(response));
  idle.push(provider);
}

Bun.listen<Client>({
  hostname: "127.0.0.1",
  port: Number(port),
  socket: {
    open(client) {
      client.data = { rest: undefined };
    },
    data(client, bytes) {
      const message = messageOf(client.data, bytes);
      if (message !== undefined) pass(client, message);
    },
  },
});
console.log("listening");
