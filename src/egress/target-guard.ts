import ipaddr from "ipaddr.js";
import { isOwnAddress, readAddress, whyForbidden } from "./address.ts";
import { type Allowance, opensAddress, opensLoopback, opensName, readAllowance } from "./allowance.ts";
import { withoutDots } from "./origin.ts";

/** Names that mean this machine or a cloud's metadata service, with any resolver. */
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

/** Verdicts on hosts are cached this long: this machine's own addresses and ports may change. */
const VERDICT_MS = 1_000;
const VERDICTS_MAX = 1_000;

const NOTHING: readonly string[] = [];

/** A verdict on a host at a port: why it is refused, or undefined. */
interface GuardVerdict {
  readonly port: number;
  readonly why: string | undefined;
}

/** Decides which hosts and addresses this program may call. Pure except for the list of this machine's own addresses. */
export class TargetGuard {
  readonly #ownPorts: () => ReadonlySet<number>;
  readonly #alsoAllow: (() => readonly string[]) | undefined;
  readonly #configured: readonly Allowance[];
  /** The last result of `alsoAllow`. */
  #also = NOTHING;
  #allowances: readonly Allowance[];
  #verdicts = new Map<string, GuardVerdict>();
  #verdictsAt = 0;
  #portsKnown = 0;

  /**
   * @param allow - entries of `allow_private_targets`: a host name, an address or a CIDR block, each with an optional
   * `:port`.
   * @param ownPorts - ports of this program's listeners, read at every check; they are never a target.
   * @param alsoAllow - additional entries opened at run time, read at every check; a changed list is a new array. An invalid
   * entry opens nothing.
   * @throws GatewayError `config_invalid` if an entry of `allow` opens nothing.
   */
  constructor(allow: readonly string[], ownPorts: () => ReadonlySet<number>, alsoAllow?: () => readonly string[]) {
    this.#ownPorts = ownPorts;
    this.#alsoAllow = alsoAllow;
    this.#configured = allow.map(readAllowance);
    this.#allowances = this.#configured;
  }

  /**
   * Why a host may not even be resolved or called, or undefined.
   *
   * @param host - lower case, without brackets.
   * @param nowMs - of `performance.now()`, if read already.
   */
  refuseHost(host: string, port: number, nowMs = performance.now()): string | undefined {
    this.#forgetOld(nowMs);
    const known = this.#verdicts.get(host);
    if (known !== undefined && known.port === port) return known.why;
    const why = this.#judgeHost(withoutDots(host), port);
    this.#verdicts.set(host, { port, why });
    return why;
  }

  /** Why a connection to one of `host`'s addresses is refused, or undefined. */
  refuseAddress(text: string, host: string, port: number): string | undefined {
    const address = readAddress(text);
    if (address === undefined) return `"${text}" is not an address`;
    if (this.#ownPorts().has(port) && isOwnAddress(address))
      return "that is this gateway itself, which is never a target";
    const why = whyForbidden(address);
    if (why === undefined) return undefined;
    if (opensAddress(this.#allowances, address, port) || opensName(this.#allowances, host, port)) return undefined;
    return `${text} is ${why}; ${this.howToOpen(host)}`;
  }

  /** A hint for opening a refused host. */
  howToOpen(host: string): string {
    if (this.#alsoAllow === undefined) return "WEIR_ALLOW_PRIVATE_TARGETS opens it";
    return `open it with: weir domains approve ${host} --private, or with WEIR_ALLOW_PRIVATE_TARGETS`;
  }

  #judgeHost(host: string, port: number): string | undefined {
    if (ipaddr.isValid(host)) return this.refuseAddress(host, host, port);
    if (!NAMES_FORBIDDEN.has(host) && !host.endsWith(".localhost")) return undefined;
    if (opensName(this.#allowances, host, port)) return undefined;
    // A loopback name may be called if its addresses are open; each address is checked again when connecting.
    if (opensLoopback(this.#allowances, host, port)) return undefined;
    return `${host} is this machine or a metadata service; ${this.howToOpen(host)}`;
  }

  #forgetOld(now: number): void {
    const ports = this.#ownPorts().size;
    const also = this.#alsoAllow?.() ?? NOTHING;
    const isReopened = also !== this.#also;
    if (isReopened) {
      this.#also = also;
      this.#allowances = [...this.#configured, ...also.flatMap(readAllowanceOrNone)];
    }
    const isOld = now - this.#verdictsAt > VERDICT_MS || ports !== this.#portsKnown;
    if (!isOld && !isReopened && this.#verdicts.size <= VERDICTS_MAX) return;
    this.#verdicts = new Map();
    this.#portsKnown = ports;
    this.#verdictsAt = now;
  }
}

function readAllowanceOrNone(entry: string): readonly Allowance[] {
  try {
    return [readAllowance(entry)];
  } catch {
    return []; // an invalid entry opens nothing
  }
}
