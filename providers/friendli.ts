import type { ProviderPlugin } from "weir/plugin";

/** FriendliAI. */
export default {
  apiVersion: 1,
  name: "FRIENDLI",
  aliases: ["friendli-ai"],
  hosts: ["api.friendli.ai"],
  target: "https://api.friendli.ai",
  dedicatedDomain: "friendli",
  extends: "OPENAI",
  basePath: "/serverless/v1",
} satisfies ProviderPlugin;
