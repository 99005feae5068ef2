// Owns the kinds of workers that the contract suite runs: each does what a test asks, through its own way of answering.

import { afterAll } from 'vitest';
import { createAcpDriver } from '../src/agents/acp/acp.ts';
import { createClaudeCodeDriver } from '../src/agents/claude-code/claude-code.ts';
import { createCodexDriver } from '../src/agents/codex/codex.ts';
import { createCommandDriver } from '../src/agents/command.ts';
import type { AgentAnswer, AgentDriver, AgentReply, AgentUsage } from '../src/agents/driver.ts';
import { createScriptedDriver } from '../src/agents/scripted.ts';
import type { Engine, EngineOptions } from '../src/index.ts';
import { bundleProgram } from './bundled-program.ts';

/** What a worker replies, and the usage it reports. */
export interface WorkerReply extends Partial<AgentReply> {
  readonly usage?: AgentUsage;
}

/** One kind of worker. */
export interface WorkerKind {
  /** True for a worker that can report what it used. */
  readonly reportsUsage: boolean;
  /** The options of an engine whose role `worker` replies so. */
  options(reply: WorkerReply): EngineOptions;
  /** What the field `agent` of a step says. */
  agent(reply: WorkerReply): string | { execute(): unknown };
  /** Does what is open, if the worker reports by itself. */
  work?(engine: Engine, run: string, reply: WorkerReply): Promise<void>;
}

const acpProgram = await bundleProgram('programs/acp-scripted.ts');
afterAll(acpProgram.remove);
const withDriver = (driver: AgentDriver): EngineOptions => ({ roles: { worker: { driver: 'it' } }, drivers: { it: driver } });
const answerOf = ({ success = true, output = null, ...rest }: WorkerReply): AgentAnswer => ({ kind: 'answered', success, output, ...rest });
const textOf = ({ usage: _, success = true, output = null, ...rest }: WorkerReply): string => JSON.stringify({ success, output, ...rest });
/** A program that reads its input and prints lines. */
const printing = (lines: readonly string[]): readonly string[] => [
  process.execPath,
  '-e',
  `process.stdin.resume().on('end', () => { for (const line of ${JSON.stringify(lines)}) console.log(line); })`,
];

function codexLines(reply: WorkerReply): string[] {
  const { inputTokens: input_tokens = 0, outputTokens: output_tokens = 0 } = reply.usage ?? {};
  return [
    { type: 'thread.started', thread_id: '0199a213-81c0-7800-8aa1-bbab2a035a53' },
    { type: 'item.completed', item: { id: '1', type: 'agent_message', text: textOf(reply) } },
    { type: 'turn.completed', ...(reply.usage === undefined ? {} : { usage: { input_tokens, output_tokens } }) },
  ].map((event) => JSON.stringify(event));
}

/** A program that answers every message of Claude Code's protocol with the same result. */
function claude(reply: WorkerReply): readonly string[] {
  const { inputTokens = 0, outputTokens = 0, costUsd } = reply.usage ?? {};
  const used = reply.usage === undefined ? {} : { modelUsage: { m: { inputTokens, outputTokens } }, total_cost_usd: costUsd, num_turns: 1 };
  const result = JSON.stringify({ type: 'result', subtype: 'success', is_error: false, result: textOf(reply), ...used });
  const init = JSON.stringify({ type: 'system', subtype: 'init', session_id: '0199a213-81c0-7800-8aa1-bbab2a035a53' });
  const script = `console.log(${JSON.stringify(init)});
    require('node:readline').createInterface({ input: process.stdin }).on('line', () => console.log(${JSON.stringify(result)}));`;
  return [process.execPath, '-e', script, '--'];
}

function acp(reply: WorkerReply): AgentDriver {
  const { inputTokens, outputTokens } = reply.usage ?? {};
  const usage = reply.usage === undefined ? {} : { usage: { inputTokens, outputTokens } };
  const plan = { turns: [{ text: textOf(reply), ...usage }] };
  return createAcpDriver({ argv: [process.execPath, acpProgram.file, JSON.stringify(plan)] });
}

const driven = (create: (reply: WorkerReply) => AgentDriver, reportsUsage = true): WorkerKind => ({
  reportsUsage,
  options: (reply) => withDriver(create(reply)),
  agent: () => 'worker',
});

/** The result of a worker that reports by itself: what other workers say beside the output is part of it. */
function resultOf({ output = null, verdict, success }: WorkerReply): unknown {
  const fields = { ...(verdict === undefined ? {} : { verdict }), ...(success === undefined ? {} : { success }) };
  if (Object.keys(fields).length === 0) return output;
  return typeof output === 'object' && output !== null ? { ...fields, ...output } : fields;
}

/** All kinds of workers that a step can have. */
export const WORKERS: Readonly<Record<string, WorkerKind>> = {
  'a custom driver': driven((reply) => ({ name: 'custom', ask: async () => answerOf(reply) })),
  'the scripted driver': driven((reply) => createScriptedDriver(() => answerOf(reply))),
  'the command driver': driven((reply) => createCommandDriver({ argv: printing([textOf(reply)]) }), false),
  'the codex driver': driven((reply) => createCodexDriver({ program: printing(codexLines(reply)) })),
  'the claude-code driver': driven((reply) => createClaudeCodeDriver({ program: claude(reply) })),
  'the acp driver': driven(acp),
  'a live object': {
    reportsUsage: true,
    options: () => ({}),
    agent: ({ success = true, output = null, ...rest }) => ({ execute: async () => ({ success, output, ...rest }) }),
  },
  'an attended agent': {
    reportsUsage: false,
    options: () => ({ roles: { worker: { driver: 'attended' } } }),
    agent: () => 'worker',
    async work(engine, run, reply) {
      for (const { token } of await engine.run(run).openSteps()) await engine.run(run).report({ token, result: resultOf(reply) });
    },
  },
};
