// Owns the list of drivers that reach agents outside of this process; one file of the bundle, loaded when one is asked.

export { createAcpDriver } from './acp.ts';
export { createAiSdkDriver } from './ai-sdk.ts';
export { createClaudeCodeDriver } from './claude-code.ts';
export { createCodexDriver } from './codex.ts';
export { createCommandDriver } from './command.ts';
