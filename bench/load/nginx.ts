import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../../test/ports.ts";
import { until } from "../../test/until.ts";

interface Nginx {
  readonly port: number;
  readonly pid: number;
  stop(): Promise<void>;
}

/** One nginx with one worker in the foreground, its files below `directory`. */
async function startNginx(directory: string, name: string, port: number, http: string): Promise<Nginx> {
  const home = join(directory, name);
  mkdirSync(home);
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((kind) => `${kind}_temp_path ${home}/${kind};`)
    .join(" ");
  writeFileSync(
    join(home, "nginx.conf"),
    `daemon off; worker_processes 1; pid ${home}/pid; error_log ${home}/error.log;
     events { worker_connections 16384; }
     http { access_log off; keepalive_requests 1000000000; ${temporary} ${http} }`,
  );
  const child = spawn("nginx", ["-c", join(home, "nginx.conf"), "-p", home], { stdio: "ignore" });
  await until(
    () =>
      fetch(`http://127.0.0.1:${port}/`).then(
        () => true,
        () => false,
      ),
    5_000,
    () => `nginx ${name} does not answer`,
  );
  return { port, pid: child.pid!, stop: () => stopNginx(child) };
}

async function stopNginx(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  child.kill("SIGQUIT");
  await once(child, "exit");
}

/** A provider that sends `response` to every request. */
export async function startProvider(directory: string, response: string): Promise<Nginx> {
  const port = await freePort();
  const location = `location / { default_type application/json; return 200 '${response}'; }`;
  return startNginx(directory, `provider-${port}`, port, `server { listen 127.0.0.1:${port}; ${location} }`);
}

/** nginx's bare `proxy_pass` to the provider at `providerPort`, connections kept; `more` are directives beside it. */
export async function startProxy(directory: string, providerPort: number, more = ""): Promise<Nginx> {
  const port = await freePort();
  return startNginx(
    directory,
    `proxy-${port}`,
    port,
    `upstream provider { server 127.0.0.1:${providerPort}; keepalive 64; }
     server { listen 127.0.0.1:${port}; location / { proxy_pass http://provider; proxy_http_version 1.1; proxy_set_header Connection ""; ${more} } }`,
  );
}
