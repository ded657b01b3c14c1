import ipaddr from "ipaddr.js";

/** Addresses that the requests of this process came from. */
const CALLED_FROM = new WeakMap<Request, string>();

/** Notes where a request came from; `socket` is the other end of its connection. */
export function noteAddress(request: Request, socket: string | null): void {
  const address = addressOf(request, socket);
  if (address !== null) CALLED_FROM.set(request, address);
}

/** Address of the client, or null where it is not known. */
export function calledFrom(request: Request): string | null {
  return CALLED_FROM.get(request) ?? null;
}

/** A proxy on this machine or in a private network says whom it serves: the last address is the one that it has seen itself. */
function addressOf(request: Request, socket: string | null): string | null {
  const own = socket === null ? null : plain(socket);
  if (own === null || ipaddr.parse(own).range() === "unicast") return own;
  const last = request.headers.get("x-forwarded-for")?.split(",").at(-1)?.trim();
  return (last === undefined ? null : plain(last)) ?? own;
}

function plain(text: string): string | null {
  return ipaddr.isValid(text) ? ipaddr.process(text).toString() : null;
}
