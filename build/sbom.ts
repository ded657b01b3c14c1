import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dir, "..");

/** Peer dependencies that libraries declare for TypeScript users: binaries contain nothing of them. */
const NEVER_SHIPPED = /^(@types\/|@typescript\/|typescript@|bun-types@|undici-types@|csstype@|openapi-types@)/;

interface Component {
  readonly "bom-ref": string;
  readonly name: string;
  readonly version: string;
  scope?: string;
}

/** The members that are read here; the rest is passed on as npm wrote it. */
interface Sbom {
  readonly bomFormat: "CycloneDX";
  readonly metadata: { readonly component: { name: string; type: string; readonly "bom-ref": string } };
  components: Component[];
  dependencies: { readonly ref: string; readonly dependsOn?: readonly string[] }[];
}

/**
 * The components of a binary, as CycloneDX: the production dependencies and the packages embedded in the dashboard, with all
 * their dependencies, at the versions of package-lock.json. Based on `npm sbom`, which does not know the dashboard's
 * packages, because they are build dependencies.
 */
export function makeSbom(): Sbom {
  const options = ["sbom", "--sbom-format=cyclonedx", "--sbom-type=application", "--package-lock-only"];
  const made = execFileSync("npm", [...options, "--loglevel=error"], { cwd: root, maxBuffer: 64 << 20 });
  const sbom = JSON.parse(made.toString()) as Sbom;
  const wanted = [...Object.keys(readPackage().dependencies), ...embeddedInDashboard()];
  const kept = reachable(sbom, new Set(wanted));
  sbom.components = sbom.components
    .filter((component) => kept.has(component["bom-ref"]))
    .map((component) => ({ ...component, scope: "required" }));
  const { component } = sbom.metadata;
  component.name = "weir";
  sbom.dependencies = sbom.dependencies
    .filter(({ ref }) => kept.has(ref) || ref === component["bom-ref"])
    .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((each) => kept.has(each)) }));
  return sbom;
}

function readPackage(): { readonly dependencies: Readonly<Record<string, string>> } {
  return JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
}

/** Packages from which the dashboard's files import more than types. */
export function embeddedInDashboard(): readonly string[] {
  const names = new Set<string>();
  for (const path of new Bun.Glob("src/web/**/*.{ts,tsx}").scanSync({ cwd: root })) {
    const text = readFileSync(join(root, path), "utf8");
    // Every file with JSX imports React implicitly.
    if (path.endsWith(".tsx")) names.add("react");
    for (const [, from] of text.matchAll(/^import\s+(?!type\b)[^;"']*?from\s+"([^".][^"]*)"/gm)) {
      if (!/^(node|weir|bun):?/.test(from!)) names.add(from!.split("/", from!.startsWith("@") ? 2 : 1).join("/"));
    }
  }
  return [...names].sort();
}

function reachable({ components, dependencies }: Sbom, names: ReadonlySet<string>): ReadonlySet<string> {
  const needs = new Map(dependencies.map(({ ref, dependsOn = [] }) => [ref, dependsOn]));
  const found = new Set<string>();
  // Of a package with several copies, the program itself uses the one at the top level.
  const pending = [...names].map((name) => components.find((component) => component.name === name)?.["bom-ref"]);
  for (let ref = pending.pop(); pending.length > 0 || ref !== undefined; ref = pending.pop()) {
    if (ref === undefined || found.has(ref) || NEVER_SHIPPED.test(ref)) continue;
    found.add(ref);
    pending.push(...(needs.get(ref) ?? []));
  }
  return found;
}
