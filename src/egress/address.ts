import { networkInterfaces } from "node:os";
import ipaddr from "ipaddr.js";

export type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** Azure serves its machines' metadata and DNS at this public-looking address. */
const ADDRESSES_FORBIDDEN: ReadonlySet<string> = new Set(["168.63.129.16"]);

/**
 * Where clouds serve credentials and metadata to their machines: link-local, AWS over IPv6 (instances and EKS pods),
 * Google, Scaleway, Alibaba, Oracle, Azure.
 */
const METADATA = [
  "169.254.0.0/16",
  "fe80::/10",
  "fd00:ec2::/32",
  "fd20:ce::254/128",
  "fd00:42::42/128",
  "100.100.100.200/32",
  "192.0.0.192/32",
  "168.63.129.16/32",
].map((block) => ipaddr.parseCIDR(block));

/** How often this machine's interfaces are read. */
const INTERFACES_MS = 5_000;

/** Parses an address, without its zone and with IPv4-mapped forms as IPv4; undefined for anything else. */
export function readAddress(text: string): Address | undefined {
  const plain = text.replace(/%.*$/, "");
  return ipaddr.isValid(plain) ? ipaddr.process(plain) : undefined;
}

/** Why `address` must not be reachable through Weir, or undefined for a public one. */
export function whyForbidden(address: Address): string | undefined {
  if (address.kind() === "ipv4") {
    if (ADDRESSES_FORBIDDEN.has(address.toString())) return "a metadata service";
    const range = address.range();
    return range === "unicast" ? undefined : `not public (${range})`;
  }
  const six = address as ipaddr.IPv6;
  const embedded = embeddedAddress(six);
  if (embedded !== undefined) {
    const why = whyForbidden(embedded);
    return why === undefined ? undefined : `a form of ${embedded.toString()}, which is ${why}`;
  }
  // Public IPv6 is only 2000::/3; the registered exceptions inside it have their own ranges.
  const isGlobal = ((six.parts[0] ?? 0) & 0xe000) === 0x2000;
  return isGlobal && six.range() === "unicast" ? undefined : `not public (${six.range()})`;
}

/** Whether a cloud's metadata service may be at `address`. */
export function isMetadata(address: Address): boolean {
  const inner = address.kind() === "ipv6" ? (embeddedAddress(address as ipaddr.IPv6) ?? address) : address;
  return METADATA.some(([network, bits]) => network.kind() === inner.kind() && inner.match(network as never, bits));
}

/** The IPv4 address embedded in an IPv6 one: mapped, NAT64, 6to4, ISATAP. Teredo is refused as a range. */
function embeddedAddress(six: ipaddr.IPv6): ipaddr.IPv4 | undefined {
  const parts = six.parts;
  const at = (index: number) =>
    new ipaddr.IPv4([parts[index]! >> 8, parts[index]! & 0xff, parts[index + 1]! >> 8, parts[index + 1]! & 0xff]);
  if (six.isIPv4MappedAddress()) return six.toIPv4Address();
  if (parts[0] === 0x64 && parts[1] === 0xff9b && parts.slice(2, 6).every((part) => part === 0)) return at(6);
  if (parts[0] === 0x2002) return at(1);
  if ((parts[4]! & 0xfdff) === 0 && parts[5] === 0x5efe) return at(6);
  return undefined;
}

let own: { readonly at: number; readonly addresses: ReadonlySet<string> } = {
  at: Number.NEGATIVE_INFINITY,
  addresses: new Set(),
};

/** Whether a connection to `address` ends on this machine. */
export function isOwnAddress(address: Address): boolean {
  const inner = address.kind() === "ipv6" ? (embeddedAddress(address as ipaddr.IPv6) ?? address) : address;
  if (inner.range() === "loopback" || inner.range() === "unspecified") return true;
  if (performance.now() - own.at > INTERFACES_MS) {
    const found = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
    const texts = found.map((one) => readAddress(one.address)?.toString()).filter((one) => one !== undefined);
    own = { at: performance.now(), addresses: new Set(texts) };
  }
  return own.addresses.has(inner.toString());
}
