import { createSocket } from "node:dgram";
import { once } from "node:events";
import { isIPv4 } from "node:net";

export interface NameServer {
  /** `127.0.0.1:<port>`, as `WEIR_DNS_SERVERS` takes it. */
  readonly address: string;
  /** Names asked for so far, with the record type: `A private.test`. */
  readonly asked: readonly string[];
  close(): void;
}

const TYPES: Readonly<Record<number, string>> = { 1: "A", 16: "TXT", 28: "AAAA" };

/**
 * A name server on loopback.
 *
 * @param answer - addresses of a name; none means that the name does not exist. Called once per question.
 */
export async function startNameServer(answer: (name: string) => readonly string[]): Promise<NameServer> {
  const asked: string[] = [];
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
    asked.push(`${TYPES[type] ?? type} ${name}`);
    const all = answer(name);
    const fitting = all.filter((address) => (type === 1 ? isIPv4(address) : type === 28 ? !isIPv4(address) : false));
    const head = Buffer.alloc(12);
    query.copy(head, 0, 0, 2);
    head.writeUInt16BE(all.length === 0 ? 0x8183 : 0x8180, 2);
    head.writeUInt16BE(1, 4);
    head.writeUInt16BE(fitting.length, 6);
    socket.send(Buffer.concat([head, query.subarray(12, at + 5), ...fitting.map(resource)]), peer.port, peer.address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  return { address: `127.0.0.1:${socket.address().port}`, asked, close: () => socket.close() };
}

/** One answer: the name by pointer, class IN, lifetime 0. */
function resource(address: string): Buffer {
  const bytes = isIPv4(address) ? Buffer.from(address.split(".").map(Number)) : ipv6(address);
  const head = Buffer.from([0xc0, 12, 0, isIPv4(address) ? 1 : 28, 0, 1, 0, 0, 0, 0, 0, bytes.byteLength]);
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
