import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { embeddedInDashboard, makeSbom } from "../../build/sbom.ts";
import { TARGETS } from "../../build/targets.ts";
import { COMMANDS } from "../../src/cli/commands.ts";
import { loadConfig, variableOf } from "../../src/config/load.ts";
import { KEYS, readVariable, schemaOf } from "../../src/config/value.ts";
import { CONFIG_SCHEMA } from "../../src/config.ts";
import type { Json } from "../../src/plugin-host/contract.ts";
import { ROOT } from "../e2e/weir.ts";

const read = (path: string) => readFileSync(join(ROOT, path), "utf8");
const VARIABLES = new Set(KEYS.map(variableOf));
const PORTS = { gateway: schemaOf("gateway_port")["default"], api: schemaOf("api_port")["default"] };

const dockerfile = read("Dockerfile");
const compose: Json = Bun.YAML.parse(read("deploy/compose.yml"));
const manifests = Bun.YAML.parse(read("deploy/kubernetes/weir.yaml")) as Json[];
const unit = read("deploy/systemd/weir.service");
const ofKind = (kind: string): Json => manifests.find((each) => each.kind === kind);
const container: Json = ofKind("StatefulSet").spec.template.spec.containers[0];

/** Variables and values that each file sets. */
const SETTINGS: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
  [
    "Dockerfile",
    Object.fromEntries([...dockerfile.matchAll(/\b(WEIR_[A-Z_]+)=(\S+)/g)].map(([, name, value]) => [name!, value!])),
  ],
  ["compose", compose.services.weir.environment],
  ["Kubernetes", Object.fromEntries(container.env.map(({ name, value }: Json) => [name, value]))],
  [
    "systemd",
    Object.fromEntries(
      [...unit.matchAll(/\b(WEIR_[A-Z_]+)=(\S+)/g)]
        .map(([, name, value]) => [name!, value!])
        .filter(([name]) => name !== "WEIR_NAME"),
    ),
  ],
];

test.each(SETTINGS)("every variable that %s sets is known, and its value is allowed", (_file, settings) => {
  expect(Object.keys(settings).length).toBeGreaterThan(0);
  expect(() => loadConfig({ env: settings, workingDirectory: "/", file: null })).not.toThrow();
});

test.each([["Dockerfile"], ["deploy/compose.yml"], ["deploy/kubernetes/weir.yaml"], ["deploy/systemd/weir.service"]])(
  "%s names no variable and no command that there is not, in its comments either",
  (file) => {
    const text = read(file);
    const named = [...text.matchAll(/\bWEIR_[A-Z_]+/g)].map(([name]) => name).filter((name) => name !== "WEIR_NAME");
    expect(named.filter((name) => !VARIABLES.has(name))).toEqual([]);
    const commands = [...text.matchAll(/\/bin\/weir(?:", ")? ?([a-z][a-z-]+)/g)].map(([, name]) => name!);
    expect(commands.filter((name) => !COMMANDS.some((command) => command.name === name))).toEqual([]);
  },
);

test("all of them use the ports that the service has by default", () => {
  expect(dockerfile).toContain(`EXPOSE ${PORTS.gateway} ${PORTS.api}`);
  expect(compose.services.weir.ports).toEqual([PORTS.gateway, PORTS.api].map((port) => `127.0.0.1:${port}:${port}`));
  expect(container.ports).toEqual(Object.entries(PORTS).map(([name, containerPort]) => ({ name, containerPort })));
  expect(ofKind("Service").spec.ports.map(({ name, port, targetPort }: Json) => [name, port, targetPort])).toEqual(
    Object.entries(PORTS).map(([name, port]) => [name, port, name]),
  );
});

test("the image runs as an unprivileged user, checks its own health, and binds to every address", () => {
  expect(dockerfile).toMatch(/^USER 10001:10001$/m);
  expect(dockerfile).toMatch(/^HEALTHCHECK .* CMD \["\/usr\/local\/bin\/weir", "health"\]$/m);
  expect(dockerfile).toMatch(/^VOLUME \/data$/m);
  expect(SETTINGS[0]![1]).toMatchObject({ WEIR_HOST: "0.0.0.0", WEIR_DATA_DIR: "/data" });
});

test("services get more time to stop than streams get to finish", () => {
  const seconds = (text: string) => Number.parseInt(text, 10);
  const drain = (settings: Readonly<Record<string, string>>) =>
    Number(
      readVariable(
        "drain_seconds",
        settings["WEIR_DRAIN_SECONDS"] ?? String(CONFIG_SCHEMA.properties.drain_seconds["default"]),
      ),
    );
  const [, ofCompose, ofKubernetes, ofSystemd] = SETTINGS.map(([, settings]) => drain(settings));
  expect(seconds(compose.services.weir.stop_grace_period)).toBeGreaterThan(ofCompose!);
  expect(ofKind("StatefulSet").spec.template.spec.terminationGracePeriodSeconds).toBeGreaterThan(ofKubernetes!);
  expect(seconds(/^TimeoutStopSec=(\d+)$/m.exec(unit)![1]!)).toBeGreaterThan(ofSystemd!);
});

test("the Kubernetes manifest has one replica with a disk of its own, and probes that there are", () => {
  const { spec } = ofKind("StatefulSet");
  expect(spec.replicas).toBe(1);
  expect(container.volumeMounts.map(({ mountPath }: Json) => mountPath)).toEqual(["/data", "/tmp"]);
  expect([container.readinessProbe, container.livenessProbe].map(({ httpGet }: Json) => httpGet.path)).toEqual([
    "/readyz",
    "/healthz",
  ]);
  expect(spec.template.spec.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 10001, fsGroup: 10001 });
});

test("Kubernetes waits for a migration of 100 million records", () => {
  const secondsPerMillion = 6; // docs/operations.md, Upgrading
  const scaled = Bun.YAML.parse(read("deploy/scale/kubernetes.yaml")) as Json[];
  const node = scaled.find(({ kind, metadata }) => kind === "StatefulSet" && metadata.name === "weir");
  for (const { startupProbe } of [container, node.spec.template.spec.containers[0]])
    expect(startupProbe.periodSeconds * startupProbe.failureThreshold).toBeGreaterThan(100 * secondsPerMillion);
});

test("the unit is hardened, and leaves what a runtime that compiles needs", () => {
  for (const line of [
    "NoNewPrivileges=yes",
    "ProtectSystem=strict",
    "ProtectHome=yes",
    "PrivateTmp=yes",
    "LimitNOFILE=65536",
  ]) {
    expect(unit.split("\n")).toContain(line);
  }
  expect(unit).not.toMatch(/^MemoryDenyWriteExecute=/m);
  expect(unit).not.toMatch(/^ProcSubset=/m);
});

test("every action of a workflow is named by its commit, with its version beside it", () => {
  const folder = ".github/workflows";
  const uses = readdirSync(join(ROOT, folder)).flatMap((name) => [
    ...read(`${folder}/${name}`).matchAll(/uses: (.+)$/gm),
  ]);
  expect(uses.length).toBeGreaterThan(5);
  expect(
    uses.map(([, name]) => name).filter((name) => !/^[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(name!)),
  ).toEqual([]);
});

test("the bill of materials names what is in a binary, and nothing that only tests need", () => {
  const { components, dependencies, metadata } = makeSbom();
  const names = components.map(({ name }) => name);
  const { dependencies: production }: Json = JSON.parse(read("package.json"));
  expect(Object.keys(production).filter((name) => !names.includes(name))).toEqual([]);
  expect(embeddedInDashboard()).toContain("react");
  expect(embeddedInDashboard().filter((name) => !names.includes(name))).toEqual([]);
  for (const name of ["openai", "fast-check", "typescript", "@biomejs/biome", "deno"])
    expect(names).not.toContain(name);
  expect(metadata.component).toMatchObject({ name: "weir", type: "application" });
  const refs = new Set(components.map((component) => component["bom-ref"]));
  expect(dependencies.flatMap(({ dependsOn = [] }) => dependsOn).filter((ref) => !refs.has(ref))).toEqual([]);
}, 300_000);

test("there is a binary for Linux with either C library, macOS and Windows", () => {
  expect(Object.keys(TARGETS)).toEqual(
    expect.arrayContaining([
      "linux-x64",
      "linux-x64-musl",
      "linux-arm64",
      "linux-arm64-musl",
      "darwin-arm64",
      "darwin-x64",
      "windows-x64",
    ]),
  );
});
