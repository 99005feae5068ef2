// Owns a small agent that speaks the Agent Client Protocol through the protocol's own library and does what its first
// argument says, so that tests can see a driver do everything that the protocol knows. Run as a program.

import { writeFileSync } from 'node:fs';
import { Readable, Writable } from 'node:stream';
import {
  type AgentContext,
  agent,
  ndJsonStream,
  type PermissionOption,
  type PromptRequest,
  type PromptResponse,
  RequestError,
  type SessionConfigOption,
  type SessionUpdate,
  type StopReason,
  type ToolCallUpdate,
} from '@agentclientprotocol/sdk';

/** What the agent does in one turn, in this order. */
export interface ScriptedTurn {
  readonly updates?: readonly SessionUpdate[];
  /** Messages of Claude Code itself, which it sends when it is asked for them. */
  readonly claude?: readonly Readonly<Record<string, unknown>>[];
  readonly permission?: { readonly toolCall: ToolCallUpdate; readonly options: readonly PermissionOption[] };
  readonly exits?: number;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
  readonly text?: string;
  /** Waits until it is cancelled, and leaves word of that in a file of its folder. */
  readonly untilCancelled?: boolean;
  /** Does not end its turn, whatever it is told. */
  readonly hangs?: boolean;
  /** Answers with all that it was asked: the methods, the prompts, and what became of requests for permission. */
  readonly reports?: boolean;
  readonly usage?: unknown;
  readonly stop?: StopReason;
}

/** How the agent is, and what it does in each turn; the last turn is repeated. */
export interface ScriptedPlan {
  readonly version?: number;
  readonly capabilities?: Readonly<Record<string, unknown>>;
  readonly needsLogin?: boolean;
  /** Has forgotten every session. */
  readonly isForgetful?: boolean;
  readonly config?: readonly SessionConfigOption[];
  readonly banner?: string;
  readonly turns: readonly ScriptedTurn[];
}

const plan = JSON.parse(process.argv[2] ?? '{"turns":[]}') as ScriptedPlan;
const seen: unknown[] = [];
let turnsDone = 0;
let wasCancelled: () => void = () => {};
const cancelled = new Promise<void>((resolve) => {
  wasCancelled = resolve;
});

if (plan.banner !== undefined) process.stdout.write(`${plan.banner}\n`);

const app = agent({ name: 'scripted' })
  .onRequest('initialize', ({ params }) => {
    seen.push({ initialize: params });
    return { protocolVersion: plan.version ?? 1, agentCapabilities: plan.capabilities ?? {} };
  })
  .onRequest('session/new', ({ params }) => {
    if (plan.needsLogin === true) throw RequestError.authRequired();
    seen.push({ new: params.cwd });
    return { sessionId: 'fresh-session', configOptions: [...(plan.config ?? [])] };
  })
  .onRequest('session/load', async ({ params, client }) => {
    seen.push({ load: params.sessionId });
    if (plan.isForgetful === true) throw RequestError.resourceNotFound(params.sessionId);
    await say(client, params.sessionId, '{"success": true, "output": "what was said long ago"}');
    return {};
  })
  .onRequest('session/resume', ({ params }) => {
    seen.push({ resume: params.sessionId });
    if (plan.isForgetful === true) throw RequestError.resourceNotFound(params.sessionId);
    return {};
  })
  .onRequest('session/set_config_option', ({ params }) => {
    seen.push({ set: params.configId, value: 'value' in params ? params.value : undefined });
    return { configOptions: [] };
  })
  .onNotification('session/cancel', () => {
    writeFileSync('cancelled', '');
    wasCancelled();
  })
  .onRequest('session/prompt', ({ params, client }) => takeTurn(params, client));

app.connect(
  ndJsonStream(
    Writable.toWeb(process.stdout) as WritableStream<Uint8Array>,
    Readable.toWeb(process.stdin) as unknown as ReadableStream<Uint8Array>,
  ),
);

async function takeTurn(params: PromptRequest, client: AgentContext): Promise<PromptResponse> {
  const turn = plan.turns[Math.min(turnsDone++, plan.turns.length - 1)] ?? {};
  const { sessionId } = params;
  seen.push({ prompt: params.prompt.map((block) => (block.type === 'text' ? block.text : block.type)) });
  for (const update of turn.updates ?? []) await client.notify('session/update', { sessionId, update });
  for (const message of turn.claude ?? []) await client.notify('_claude/sdkMessage', { sessionId, message });
  if (turn.permission !== undefined) {
    const { toolCall, options } = turn.permission;
    const { outcome } = await client.request('session/request_permission', { sessionId, toolCall, options: [...options] });
    seen.push({ permission: outcome });
  }
  if (turn.exits !== undefined) process.exit(turn.exits);
  if (turn.error !== undefined) throw new RequestError(turn.error.code, turn.error.message, turn.error.data);
  if (turn.untilCancelled === true) await cancelled;
  if (turn.hangs === true) await new Promise<never>(() => {});
  const text = turn.reports === true ? JSON.stringify({ success: true, output: seen }) : turn.text;
  if (text !== undefined) await say(client, sessionId, text);
  return { stopReason: turn.stop ?? 'end_turn', ...(turn.usage === undefined ? {} : { usage: turn.usage }) };
}

// In pieces, as real agents speak.
async function say(client: AgentContext, sessionId: string, text: string): Promise<void> {
  for (const piece of [text.slice(0, 7), text.slice(7)])
    await client.notify('session/update', {
      sessionId,
      update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: piece } },
    });
}
