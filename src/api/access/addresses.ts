import ipaddr from "ipaddr.js";

/** The client address of each request of this process. */
const CALLED_FROM = new WeakMap<Request, string>();

/** Stores the client's address for a request; `socket` is the peer address of its connection. */
export function noteAddress(request: Request, socket: string | null): void {
  const address = addressOf(request, socket);
  if (address !== null) CALLED_FROM.set(request, address);
}

/** The client's address, or null if unknown. */
export function calledFrom(request: Request): string | null {
  return CALLED_FROM.get(request) ?? null;
}

/** A proxy on this machine or in a private network names its client: only the last address is one that it has seen itself. */
function addressOf(request: Request, socket: string | null): string | null {
  const own = socket === null ? null : plain(socket);
  if (own === null || ipaddr.parse(own).range() === "unicast") return own;
  const last = request.headers.get("x-forwarded-for")?.split(",").at(-1)?.trim();
  return (last === undefined ? null : plain(last)) ?? own;
}

function plain(text: string): string | null {
  return ipaddr.isValid(text) ? ipaddr.process(text).toString() : null;
}
