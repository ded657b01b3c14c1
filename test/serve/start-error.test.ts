import { expect, test } from "bun:test";
import { loadConfig } from "../../src/config/load.ts";
import { GatewayError } from "../../src/errors.ts";
import { listenFailure, StartError } from "../../src/serve/start-error.ts";

const { config } = loadConfig({ env: { WEIR_HOST: "door.example" }, workingDirectory: "/", file: null });
const coded = (code: string) => Object.assign(new Error("listen"), { code });
/** As it comes from the API's thread. */
const ofApi = (why: string) => new GatewayError("config_invalid", `the API cannot listen on door.example:8788: ${why}`);
const NO_ADDRESS = 'host = "door.example" is not an address of this machine; set WEIR_HOST';

test.each([
  ["a taken port", coded("EADDRINUSE"), "gateway_port = 8787 on door.example is in use"],
  ["a port of the system's", coded("EACCES"), "gateway_port = 8787 on door.example may not be opened by this user"],
  ["an address of another machine", coded("EADDRNOTAVAIL"), NO_ADDRESS],
  ["the same on Deno", coded("EINVAL"), NO_ADDRESS],
  ["a name without address", coded("ENOTFOUND"), NO_ADDRESS],
  ["the same on Bun, which has no code for it", new Error("Failed to listen at door.example"), NO_ADDRESS],
  ["a taken port of the API", ofApi("Is port 8788 in use?"), "gateway_port = 8787 on door.example is in use"],
  ["a port of the system's of the API", ofApi("permission denied"), "gateway_port = 8787 on door.example may not be"],
  ["anything else of the API", ofApi("no more files"), "the API cannot listen on door.example:8788: no more files"],
])("%s is reported in one line", (_what, error, says) => {
  const failure = listenFailure(error, "gateway_port", config);
  expect(failure).toBeInstanceOf(StartError);
  expect((failure as Error).message).toStartWith(says);
});

test("any other failure stays as it is", () => {
  const error = new Error("what nobody thought of");
  expect(listenFailure(error, "api_port", config)).toBe(error);
});
