import ipaddr from "ipaddr.js";
import { GatewayError } from "../errors.ts";
import { type Address, readAddress } from "./address.ts";
import { withoutDots } from "./origin.ts";

/** What an entry of `allow_private_targets` opens: a host name or a block of addresses, at all ports or one. */
export type Allowance =
  | { readonly host: string; readonly port: number | undefined }
  | { readonly block: readonly [Address, number]; readonly port: number | undefined };

/** `host`, `address` or `address/bits`, each with an optional `:port`; an IPv6 address with a port is in brackets. */
const ENTRY = /^(?:\[([^\]]+)\]|([^:]*|[0-9a-f:.]*(?:\/\d+)?))(?::(\d+))?$/;

/** @throws GatewayError `config_invalid` if an entry opens nothing. */
export function readAllowance(entry: string): Allowance {
  const [, bracketed, bare, portText] = ENTRY.exec(entry.trim().toLowerCase()) ?? [];
  const name = bracketed ?? bare;
  const port = portText === undefined ? undefined : Number(portText);
  if (name === undefined || name === "" || (port !== undefined && (port < 1 || port > 65_535)))
    throw invalid(entry, "host name, address or CIDR block");
  if (name.includes("/")) {
    const block = readBlock(name);
    if (block === undefined) throw invalid(entry, "CIDR block");
    return { block, port };
  }
  const address = readAddress(name);
  if (address !== undefined) return { block: [address, bitsOf(address)], port };
  if (!/^[a-z0-9._-]+$/.test(name)) throw invalid(entry, "host name");
  return { host: withoutDots(name), port };
}

/** @param port - undefined means any. */
export function opensName(allowances: readonly Allowance[], host: string, port?: number): boolean {
  return allowances.some((one) => "host" in one && one.host === host && isAtPort(one, port));
}

export function opensAddress(allowances: readonly Allowance[], address: Address, port?: number): boolean {
  return allowances.some((one) => "block" in one && isAtPort(one, port) && contains(one.block, address));
}

/** Whether a loopback name may be called, which is the case if its addresses are open. */
export function opensLoopback(allowances: readonly Allowance[], host: string, port?: number): boolean {
  const isLoopback = host.startsWith("localhost") || host.endsWith(".localhost");
  return isLoopback && LOOPBACK.some((address) => opensAddress(allowances, address, port));
}

/** Whether a host is open at any port: by its name, by its address, or as a loopback name. */
export function opensHost(allowances: readonly Allowance[], host: string): boolean {
  const address = readAddress(host);
  return address === undefined
    ? opensName(allowances, host) || opensLoopback(allowances, host)
    : opensAddress(allowances, address);
}

const LOOPBACK = ["127.0.0.1", "::1"].map((address) => ipaddr.process(address));

function isAtPort(one: Allowance, port: number | undefined): boolean {
  return one.port === undefined || port === undefined || one.port === port;
}

function readBlock(text: string): readonly [Address, number] | undefined {
  const slash = text.indexOf("/");
  const [start, length] = [text.slice(0, slash), text.slice(slash + 1)];
  const network = readAddress(start);
  if (network === undefined || !/^\d+$/.test(length)) return undefined;
  // A block of IPv4-mapped addresses equals the block of the IPv4 addresses.
  const isMapped = network.kind() === "ipv4" && text.includes(":");
  const bits = Number(length) - (isMapped ? 96 : 0);
  return bits < 0 || bits > bitsOf(network) ? undefined : [network, bits];
}

function bitsOf(address: Address): number {
  return address.kind() === "ipv4" ? 32 : 128;
}

function contains([network, bits]: readonly [Address, number], address: Address): boolean {
  if (network.kind() !== address.kind()) return false;
  return network.kind() === "ipv4"
    ? (address as ipaddr.IPv4).match(network as ipaddr.IPv4, bits)
    : (address as ipaddr.IPv6).match(network as ipaddr.IPv6, bits);
}

function invalid(entry: string, what: string): GatewayError {
  return new GatewayError("config_invalid", `allow_private_targets: "${entry}" is no ${what}`);
}
