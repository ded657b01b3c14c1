import { readdirSync } from "node:fs";
import { PROVIDERS, testProvider } from "./conformance.ts";

for (const file of readdirSync(PROVIDERS)) await testProvider(file.replace(/\.ts$/, ""));
