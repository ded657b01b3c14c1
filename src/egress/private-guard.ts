import { readAddress } from "./address.ts";
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

/** Metadata services of clouds inside those networks: AWS over IPv6, Alibaba, Oracle. */
const METADATA = new Set(["fd00:ec2::254", "fd20:ce::254", "100.100.100.200", "192.0.0.192"].map(plain));

/** Opens private networks for a credential that allows it; metadata services and this program stay closed. */
export class PrivateGuard extends TargetGuard {
  /** @param ownPorts - of this program's listeners, read at every check. */
  constructor(ownPorts: () => ReadonlySet<number>) {
    super(PRIVATE_NETWORKS, ownPorts);
  }

  override refuseAddress(text: string, host: string, port: number): string | undefined {
    if (METADATA.has(plain(text))) return `${text} is a metadata service, which is never a target`;
    return super.refuseAddress(text, host, port);
  }

  override howToOpen(): string {
    return "no credential opens it";
  }
}

function plain(text: string): string {
  return readAddress(text)?.toString() ?? text;
}
