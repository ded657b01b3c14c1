import { createSocket } from "node:dgram";
import { once } from "node:events";
import { isIPv4 } from "node:net";

export interface NameServer extends Disposable {
  /** `127.0.0.1:<port>`, as `WEIR_DNS_SERVERS` takes it. */
  readonly address: string;
  /** Names queried so far, with the record type: `A private.test`. */
  readonly queries: readonly string[];
}

const TYPES: Readonly<Record<number, string>> = { 1: "A", 16: "TXT", 28: "AAAA" };

/**
 * A name server on loopback.
 *
 * @param addressesOf - addresses of a name; none means that the name does not exist. Called once per question.
 * @param texts - its TXT records, each of up to 255 bytes a part.
 */
export async function startNameServer(
  addressesOf: (name: string) => readonly string[],
  texts: (name: string) => readonly (readonly string[])[] = () => [],
): Promise<NameServer> {
  const queries: string[] = [];
  const socket = createSocket("udp4");
  socket.on("message", (query, peer) => {
    const labels: string[] = [];
    let at = 12;
    for (let size = query[at]!; size > 0; size = query[at]!) {
      labels.push(query.toString("latin1", at + 1, at + 1 + size));
      at += size + 1;
    }
    const name = labels.join(".").toLowerCase();
    const type = query.readUInt16BE(at + 1);
    queries.push(`${TYPES[type] ?? type} ${name}`);
    const all = addressesOf(name);
    const found = texts(name);
    const fitting = all.filter((address) => (type === 1 ? isIPv4(address) : type === 28 ? !isIPv4(address) : false));
    const records = type === 16 ? found.map(textRecord) : fitting.map(resource);
    const head = Buffer.alloc(12);
    query.copy(head, 0, 0, 2);
    head.writeUInt16BE(all.length + found.length === 0 ? 0x8183 : 0x8180, 2);
    head.writeUInt16BE(1, 4);
    head.writeUInt16BE(records.length, 6);
    socket.send(Buffer.concat([head, query.subarray(12, at + 5), ...records]), peer.port, peer.address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  return { address: `127.0.0.1:${socket.address().port}`, queries, [Symbol.dispose]: () => void socket.close() };
}

function resource(address: string): Buffer {
  if (isIPv4(address)) return record(1, Buffer.from(address.split(".").map(Number)));
  return record(28, ipv6(address));
}

/** Each part has its length before it. */
function textRecord(parts: readonly string[]): Buffer {
  return record(
    16,
    Buffer.concat(parts.map((part) => Buffer.from(`${String.fromCharCode(part.length)}${part}`, "latin1"))),
  );
}

/** One response: the name by pointer, class IN, lifetime 0. */
function record(type: number, bytes: Buffer): Buffer {
  const head = Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, bytes.byteLength >> 8, bytes.byteLength & 255]);
  return Buffer.concat([head, bytes]);
}

function ipv6(address: string): Buffer {
  const hex = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [left = "", right] = hex.split("::");
  const groups = (text: string | undefined) => (text ? text.split(":") : []);
  const missing = 8 - groups(left).length - groups(right).length;
  const all = [
    ...groups(left),
    ...Array.from({ length: right === undefined ? 0 : missing }, () => "0"),
    ...groups(right),
  ];
  return Buffer.from(all.flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255]));
}
