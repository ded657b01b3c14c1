import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { loadConfig, variableOf } from "../../src/config/load.ts";
import { KEYS } from "../../src/config/value.ts";
import type { Config } from "../../src/config.ts";
import { tableStatements } from "../../src/engine/clickhouse/tables.ts";
import type { Json } from "../../src/plugin-host/contract.ts";
import { ROOT } from "../e2e/weir.ts";

const read = (path: string) => readFileSync(join(ROOT, "deploy/scale", path), "utf8");

/** Values of the example, which the stack asks for by these names. */
const SECRETS = Object.fromEntries(
  [...read("env.example").matchAll(/^([A-Z0-9_]+)=(.+)$/gm)].map(([, name, value]) => [name!, value!]),
);
const compose: Json = Bun.YAML.parse(read("compose.yml"));
const kustomization: Json = Bun.YAML.parse(read("kustomization.yaml"));
const manifests = Bun.YAML.parse(read("kubernetes.yaml")) as Json[];
const named = (kind: string, name: string): Json =>
  manifests.find((each) => each.kind === kind && each.metadata.name === name);
const containerOf = (kind: string, name: string): Json => named(kind, name).spec.template.spec.containers[0];
const cluster = read("config/clickhouse-cluster.xml");
const users = read("config/clickhouse-users.xml");
const keeper = read("config/keeper.xml");
const GATEWAYS = ["weir-0", "weir-1", "weir-2"];
const SERVERS = ["clickhouse-1-0", "clickhouse-1-1", "clickhouse-2-0", "clickhouse-2-1"];
const KEEPERS = ["keeper-0", "keeper-1", "keeper-2"];

/** A secret, or what a text makes of secrets: `${NAME:?}` in Compose, `$(NAME)` in Kubernetes. */
const filled = (text: string) =>
  text.replaceAll(/\$[{(]([A-Z0-9_]+)(?::\?)?[})]/g, (_, name: string) => SECRETS[name]!);

function composeEnvironment(service: string): Record<string, string> {
  const { environment } = compose.services[service];
  return Object.fromEntries(Object.entries<string>(environment).map(([name, value]) => [name, filled(value)]));
}

function kubernetesEnvironment({ env }: Json): Record<string, string> {
  const value = ({ value, valueFrom }: Json) =>
    valueFrom === undefined ? filled(value) : SECRETS[valueFrom.secretKeyRef.key]!;
  return Object.fromEntries(env.map((each: Json) => [each.name, value(each)]));
}

const of = (env: Record<string, string>) => loadConfig({ env, workingDirectory: "/", file: null }).config;
const hostsIn = (text: string) => [...text.matchAll(/<host(?:name)?>([^<]+)</g)].map(([, host]) => host!);

describe.each<[string, Record<string, string>]>([
  ...GATEWAYS.map((name): [string, Record<string, string>] => [`Compose's ${name}`, composeEnvironment(name)]),
  ["Kubernetes' nodes", kubernetesEnvironment(containerOf("StatefulSet", "weir"))],
])("%s", (_name, env) => {
  test("have settings that there are, with values that are allowed", () => {
    const known = new Set(KEYS.map(variableOf));
    expect(Object.keys(env).filter((name) => name.startsWith("WEIR_") && !known.has(name))).toEqual([]);
    expect(of(env)).toMatchObject({
      database_url: "http://libsql:8080",
      limits_url: `redis://:${SECRETS["LIMITS_PASSWORD"]}@redis:6379`,
      records_engine: "clickhouse",
      records_password: SECRETS["RECORDS_PASSWORD"]!,
      bodies_engine: "s3",
      bodies_access_key_id: SECRETS["S3_ACCESS_KEY_ID"]!,
      bodies_secret_access_key: SECRETS["S3_SECRET_ACCESS_KEY"]!,
    } satisfies Partial<Config>);
  });

  test("name every server of ClickHouse, the cluster and the user that its files describe", () => {
    const config = of(env);
    const addresses = SERVERS.map((name) => `http://${name}.clickhouse:8123`);
    expect(config.records_url.split(",").sort()).toEqual(addresses);
    expect(cluster).toContain(`<${config.records_cluster}>`);
    expect(users).toContain(`<${config.records_user}>`);
    expect(users).toContain(`GRANT ALL ON ${config.records_database}.*`);
  });
});

test("the cluster has every server once, two replicas a shard, and what the tables ask for", () => {
  const shards = [...cluster.matchAll(/<shard>([\s\S]*?)<\/shard>/g)].map(([, shard]) => hostsIn(shard!));
  expect(shards.map((shard) => shard.length)).toEqual([2, 2]);
  expect(shards.flat()).toEqual(SERVERS.map((name) => `${name}.clickhouse`));
  const statements = tableStatements({ cluster: "weir", hasKeeper: true }, "weir").join("\n");
  const macros = new Set([...statements.matchAll(/\{([a-z]+)\}/g)].map(([, name]) => name!));
  macros.delete("database"); // one of ClickHouse's own
  expect([...macros].filter((name) => !cluster.includes(`<${name} from_env="${name.toUpperCase()}"/>`))).toEqual([]);
  expect(macros.size).toBeGreaterThan(0);
});

test("servers have their place in the cluster, in Compose and in Kubernetes", () => {
  for (const name of SERVERS) {
    const service = compose.services[name];
    const [, shard] = name.split("-");
    expect(service).toMatchObject({ hostname: name, networks: { default: { aliases: [`${name}.clickhouse`] } } });
    expect(composeEnvironment(name)).toMatchObject({ SHARD: shard, REPLICA: name });
  }
  for (const shard of ["1", "2"]) {
    const { replicas, serviceName, template } = named("StatefulSet", `clickhouse-${shard}`).spec;
    expect({ replicas, serviceName }).toEqual({ replicas: 2, serviceName: "clickhouse" });
    expect(template.spec.containers[0].env).toContainEqual({ name: "SHARD", value: shard });
  }
  expect(named("Service", "clickhouse").spec).toMatchObject({ clusterIP: "None", publishNotReadyAddresses: true });
});

test("three Keepers know each other, and the servers know them", () => {
  const hosts = KEEPERS.map((name) => `${name}.keeper`);
  expect(hostsIn(keeper)).toEqual(hosts);
  expect(hostsIn(/<zookeeper>[\s\S]*<\/zookeeper>/.exec(cluster)![0])).toEqual(hosts);
  expect(KEEPERS.map((name) => compose.services[name].environment.KEEPER_ID)).toEqual(["1", "2", "3"]);
  expect(KEEPERS.map((name) => compose.services[name].networks.default.aliases[0])).toEqual(hosts);
  expect(named("StatefulSet", "keeper").spec).toMatchObject({ replicas: 3, serviceName: "keeper" });
});

test("three nodes with disks of their own stand behind the balancer", () => {
  const balancer = read("config/haproxy.cfg");
  for (const [node, port] of GATEWAYS.flatMap((name) => [[name, 8787] as const, [name, 8788] as const]))
    expect(balancer).toMatch(new RegExp(`^    server ${node} ${node}:${port} check`, "m"));
  expect(new Set(GATEWAYS.flatMap((name) => compose.services[name].volumes)).size).toBe(GATEWAYS.length);
  const { spec } = named("StatefulSet", "weir");
  expect(spec.replicas).toBe(GATEWAYS.length);
  expect(spec.volumeClaimTemplates).toHaveLength(1);
});

test("a node of Kubernetes waits until it has left the services, and has time to stop after that", () => {
  const { terminationGracePeriodSeconds, containers }: Json = named("StatefulSet", "weir").spec.template.spec;
  const waits = containers[0].lifecycle.preStop.sleep.seconds;
  const drain = Number(containers[0].env.find(({ name }: Json) => name === "WEIR_DRAIN_SECONDS").value);
  const spool = 60; // docs/operations.md, Stopping
  expect(waits).toBeGreaterThan(0);
  expect(terminationGracePeriodSeconds).toBeGreaterThan(waits + drain + spool);
});

test("both stacks run the same versions, named by their tags", () => {
  const ofCompose = Object.values<Json>(compose.services).map(({ image }) => image as string);
  const ofKubernetes = manifests.flatMap(({ spec }) => spec?.template?.spec.containers ?? []).map(({ image }) => image);
  const images = new Set(ofCompose.filter((image) => !image.startsWith("haproxy:")));
  expect(new Set(ofKubernetes)).toEqual(images);
  for (const image of ofCompose.filter((each) => each !== "weir:latest")) expect(image).toMatch(/:v?\d+\.\d+/);
});

test("secrets, files and volumes that are named are there", () => {
  const required = [read("compose.yml"), read("test.sh")].flatMap((text) => [
    ...text.matchAll(/\$\{([A-Z0-9_]+):\?\}/g),
  ]);
  const keys = [...read("kubernetes.yaml").matchAll(/name: weir, key: ([A-Z0-9_]+)/g)];
  expect([...required, ...keys].map(([, name]) => name!).filter((name) => SECRETS[name] === undefined)).toEqual([]);
  for (const name of Object.keys(SECRETS)) expect(read("test.sh")).toMatch(new RegExp(`^${name}=`, "m"));
  const mounts = Object.values<Json>(compose.services).flatMap(({ volumes = [] }) => volumes as string[]);
  const sources = mounts.map((mount) => mount.split(":")[0]!);
  for (const file of [
    ...sources.filter((source) => source.startsWith("./")),
    ...kustomization.configMapGenerator[0].files,
  ])
    expect(read(file)).not.toBe("");
  expect(sources.filter((source) => !source.startsWith("./")).sort()).toEqual(Object.keys(compose.volumes).sort());
  const parts = manifests.flatMap(({ spec }) => spec?.template?.spec.containers ?? []);
  const subPaths = parts.flatMap(({ volumeMounts }) => volumeMounts).flatMap(({ subPath }) => subPath ?? []);
  const files = kustomization.configMapGenerator[0].files.map((file: string) => file.replace("config/", ""));
  expect(new Set(subPaths)).toEqual(new Set(files));
});
