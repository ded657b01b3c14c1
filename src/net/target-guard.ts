import { networkInterfaces } from "node:os";
import ipaddr from "ipaddr.js";
import { GatewayError } from "../errors.ts";

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** What `allow_private_targets` opens: one host name, or a block of addresses; everywhere or at one port. */
type Allowance =
  | { readonly host: string; readonly port: number | undefined }
  | { readonly block: readonly [Address, number]; readonly port: number | undefined };

/** Decides which hosts and addresses the gateway may call. Pure but for the list of this machine's own addresses. */
export interface TargetGuard {
  /** Why a host may not even be looked up or called, or undefined. `host` is lower case, without brackets. */
  refuseHost(host: string, port: number): string | undefined;
  /** Why one address that `host` stands for may not be connected to, or undefined. */
  refuseAddress(address: string, host: string, port: number): string | undefined;
  /** For whoever meant a host that is refused. */
  howToOpen(host: string): string;
}

/** Names that stand for this machine or for a cloud's metadata service wherever they are resolved. */
const NAMES_FORBIDDEN: ReadonlySet<string> = new Set([
  "localhost",
  "localhost.localdomain",
  "localhost6",
  "localhost6.localdomain6",
  "ip6-localhost",
  "ip6-loopback",
  "broadcasthost",
  "metadata",
  "metadata.google.internal",
  "metadata.goog",
  "metadata.azure.internal",
  "metadata.tencentyun.com",
  "instance-data",
  "instance-data.ec2.internal",
  "rancher-metadata",
]);

/** Azure answers its machines' metadata and DNS at this public-looking address. */
const ADDRESSES_FORBIDDEN: ReadonlySet<string> = new Set(["168.63.129.16"]);

/** Verdicts on hosts are used again for so long: this machine's own addresses and ports may change. */
const VERDICT_MS = 1_000;
const VERDICTS_MAX = 1_000;

const NOTHING: readonly string[] = [];

/**
 * @param alsoAllow - what is opened while the program runs, asked at every check; another list wherever something in it
 * changed. An entry that cannot be read opens nothing.
 * @param allow - entries of `allow_private_targets`: a host name, an address or a CIDR block, each with `:port` or not.
 * @param ownPorts - ports of this program's listeners, read at every check; they are never a target.
 */
export function createTargetGuard(
  allow: readonly string[],
  ownPorts: () => ReadonlySet<number>,
  alsoAllow?: () => readonly string[],
): TargetGuard {
  const configured = allow.map(readAllowance);
  let also: readonly string[] = NOTHING;
  let allowances: readonly Allowance[] = configured;
  const opensName = (host: string, port: number) =>
    allowances.some((one) => "host" in one && one.host === host && (one.port ?? port) === port);
  const opensAddress = (address: Address, port: number) =>
    allowances.some((one) => "block" in one && (one.port ?? port) === port && contains(one.block, address));

  const howToOpen = (host: string) => {
    if (alsoAllow === undefined) return "WEIR_ALLOW_PRIVATE_TARGETS opens it";
    return `open it with: weir domains approve ${host} --private, or with WEIR_ALLOW_PRIVATE_TARGETS`;
  };

  const refuseAddress = (text: string, host: string, port: number) => {
    const address = readAddress(text);
    if (address === undefined) return `"${text}" is no address`;
    if (ownPorts().has(port) && isOwnAddress(address)) return "that is this gateway itself, which is never a target";
    const why = whyForbidden(address);
    if (why === undefined || opensAddress(address, port) || opensName(host, port)) return undefined;
    return `${text} is ${why}; ${howToOpen(host)}`;
  };

  const judgeHost = (rawHost: string, port: number) => {
    const host = withoutDots(rawHost);
    if (ipaddr.isValid(host)) return refuseAddress(host, host, port);
    if (!NAMES_FORBIDDEN.has(host) && !host.endsWith(".localhost")) return undefined;
    if (opensName(host, port)) return undefined;
    // A loopback name may be called where its addresses are open; they are checked again one by one.
    const loopback = host.startsWith("localhost") || host.endsWith(".localhost");
    if (loopback && ["127.0.0.1", "::1"].some((address) => opensAddress(ipaddr.process(address), port)))
      return undefined;
    return `${host} stands for this machine or a metadata service; ${howToOpen(host)}`;
  };

  let verdicts = new Map<string, { readonly port: number; readonly why: string | undefined }>();
  let verdictsAt = 0;
  let portsKnown = 0;
  return {
    refuseAddress,
    howToOpen,
    refuseHost(host, port) {
      const now = performance.now();
      const ports = ownPorts().size;
      const open = alsoAllow?.() ?? NOTHING;
      if (open !== also) {
        also = open;
        allowances = [...configured, ...open.flatMap(readAllowanceOrNone)];
        verdicts = new Map();
      }
      if (now - verdictsAt > VERDICT_MS || verdicts.size > VERDICTS_MAX || ports !== portsKnown) {
        verdicts = new Map();
        portsKnown = ports;
        verdictsAt = now;
      }
      const known = verdicts.get(host);
      if (known !== undefined && known.port === port) return known.why;
      const why = judgeHost(host, port);
      verdicts.set(host, { port, why });
      return why;
    },
  };
}

/** Why nobody outside should be able to reach `address` through us, or undefined for a public one. */
function whyForbidden(address: Address): string | undefined {
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
  // Public IPv6 is 2000::/3 and nothing else; the registered exceptions inside it have ranges of their own.
  const isGlobal = ((six.parts[0] ?? 0) & 0xe000) === 0x2000;
  return isGlobal && six.range() === "unicast" ? undefined : `not public (${six.range()})`;
}

/** The IPv4 address that an IPv6 one leads to: mapped, NAT64, 6to4, ISATAP. Teredo is refused as a range. */
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

/** The address that a text stands for, zone removed and IPv4-mapped forms turned into IPv4; undefined for anything else. */
function readAddress(text: string): Address | undefined {
  const plain = text.replace(/%.*$/, "");
  return ipaddr.isValid(plain) ? ipaddr.process(plain) : undefined;
}

let own: { readonly at: number; readonly addresses: ReadonlySet<string> } = {
  at: Number.NEGATIVE_INFINITY,
  addresses: new Set(),
};

/** Whether a connection to `address` ends on this machine. Its interfaces are read again every 5 s. */
function isOwnAddress(address: Address): boolean {
  const inner = address.kind() === "ipv6" ? (embeddedAddress(address as ipaddr.IPv6) ?? address) : address;
  if (inner.range() === "loopback" || inner.range() === "unspecified") return true;
  if (performance.now() - own.at > 5_000) {
    const found = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
    const texts = found.map((one) => readAddress(one.address)?.toString()).filter((one) => one !== undefined);
    own = { at: performance.now(), addresses: new Set(texts) };
  }
  return own.addresses.has(inner.toString());
}

function contains(block: readonly [Address, number], address: Address): boolean {
  const [network, bits] = block;
  if (network.kind() !== address.kind()) return false;
  return network.kind() === "ipv4"
    ? (address as ipaddr.IPv4).match(network as ipaddr.IPv4, bits)
    : (address as ipaddr.IPv6).match(network as ipaddr.IPv6, bits);
}

function readAllowanceOrNone(entry: string): readonly Allowance[] {
  try {
    return [readAllowance(entry)];
  } catch {
    return []; // whoever opens it says what it takes; nothing is the safe reading of the rest
  }
}

/** `host`, `address` or `address/bits`, each with an optional `:port`; an IPv6 address with a port stands in brackets. */
function readAllowance(entry: string): Allowance {
  const text = entry.trim().toLowerCase();
  const [, bracketed, bare, portText] = /^(?:\[([^\]]+)\]|([^:]*|[0-9a-f:.]*(?:\/\d+)?))(?::(\d+))?$/.exec(text) ?? [];
  const name = bracketed ?? bare;
  const port = portText === undefined ? undefined : Number(portText);
  if (name === undefined || name === "" || (port !== undefined && (port < 1 || port > 65_535)))
    throw new GatewayError(
      "config_invalid",
      `allow_private_targets: "${entry}" is no host name, address or CIDR block`,
    );

  const slash = name.indexOf("/");
  if (slash >= 0) {
    const network = readAddress(name.slice(0, slash));
    // A block of IPv4-mapped addresses is the block of the IPv4 ones.
    const mapped = network?.kind() === "ipv4" && name.includes(":");
    const bits = Number(name.slice(slash + 1)) - (mapped ? 96 : 0);
    if (
      network === undefined ||
      !/^\d+$/.test(name.slice(slash + 1)) ||
      bits < 0 ||
      bits > (network.kind() === "ipv4" ? 32 : 128)
    )
      throw new GatewayError("config_invalid", `allow_private_targets: "${entry}" is no CIDR block`);
    return { block: [network, bits], port };
  }
  const address = readAddress(name);
  if (address !== undefined) return { block: [address, address.kind() === "ipv4" ? 32 : 128], port };
  if (!/^[a-z0-9._-]+$/.test(name))
    throw new GatewayError("config_invalid", `allow_private_targets: "${entry}" is no host name`);
  return { host: withoutDots(name), port };
}

function withoutDots(host: string): string {
  return host.replace(/\.+$/, "");
}
