// Owns the drivers as programs make them. What reaches an agent is loaded when it is first asked: a program that
// drives none, or has not come to it, pays nothing for them.

import type { AcpOptions } from '../agents/acp.ts';
import type { AiSdkOptions } from '../agents/ai-sdk.ts';
import type { ClaudeCodeDriverOptions } from '../agents/claude-code.ts';
import type { CodexDriverOptions } from '../agents/codex.ts';
import type { CommandDriverOptions } from '../agents/command.ts';
import type { AgentDriver } from '../agents/driver.ts';

type Drivers = typeof import('../agents/drivers.ts');

function byNeed(name: string, make: (drivers: Drivers) => AgentDriver): AgentDriver {
  let driver: Promise<AgentDriver> | undefined;
  return {
    name,
    async ask(request) {
      driver ??= import('../agents/drivers.ts').then(make);
      return (await driver).ask(request);
    },
  };
}

/** A driver for any program: the prompt on its input, the reply on its output. */
export function createCommandDriver(options: CommandDriverOptions): AgentDriver {
  return byNeed('command', (drivers) => drivers.createCommandDriver(options));
}

/** A driver for the Claude Code program. */
export function createClaudeCodeDriver(options: ClaudeCodeDriverOptions = {}): AgentDriver {
  return byNeed('claude-code', (drivers) => drivers.createClaudeCodeDriver(options));
}

/** A driver for the Codex program. */
export function createCodexDriver(options: CodexDriverOptions = {}): AgentDriver {
  return byNeed('codex', (drivers) => drivers.createCodexDriver(options));
}

/** A driver for any agent that speaks the Agent Client Protocol. */
export function createAcpDriver(options: AcpOptions): AgentDriver {
  return byNeed('acp', (drivers) => drivers.createAcpDriver(options));
}

/** A driver for a model through the `ai` package, which the program brings. */
export function createAiSdkDriver(options: AiSdkOptions): AgentDriver {
  return byNeed('ai-sdk', (drivers) => drivers.createAiSdkDriver(options));
}
