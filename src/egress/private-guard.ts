import { isMetadata, readAddress } from "./address.ts";
import { TargetGuard } from "./target-guard.ts";

/** Private networks of companies, without link-local ones. */
const PRIVATE_NETWORKS = [
  "10.0.0.0/8",
  "172.16.0.0/12",
  "192.168.0.0/16",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "::1/128",
  "fc00::/7",
];

/**
 * Opens private addresses for a credential that allows it. Metadata services stay closed, also to an open name that resolves to
 * one, and so does this program.
 */
export class PrivateGuard extends TargetGuard {
  /**
   * @param ownPorts - of this program's listeners, read at every check.
   * @param allow - what is open, as for `TargetGuard`; by default all private networks.
   */
  constructor(ownPorts: () => ReadonlySet<number>, allow = PRIVATE_NETWORKS, alsoAllow?: () => readonly string[]) {
    super(allow, ownPorts, alsoAllow);
  }

  override refuseAddress(text: string, host: string, port: number): string | undefined {
    const address = readAddress(text);
    if (address !== undefined && isMetadata(address)) return `${text} is a metadata service, which is never a target`;
    return super.refuseAddress(text, host, port);
  }

  override howToOpen(): string {
    return "no credential opens it";
  }
}
