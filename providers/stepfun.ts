import type { ProviderPlugin } from "weir/plugin";

/** StepFun. */
export default {
  apiVersion: 1,
  name: "STEPFUN",
  hosts: ["api.stepfun.com", "api.stepfun.ai"],
  target: "https://api.stepfun.com",
  dedicatedDomain: "stepfun",
  extends: "OPENAI",
} satisfies ProviderPlugin;
