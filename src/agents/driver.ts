// Owns the interface to agents: the request to a driver and its answer. How an agent is reached (a program, a protocol, a
// script) is up to the driver. The engine checks whether the answer is true.

import type { Json, JsonObject } from '../base/json.ts';
import type { NetworkSpec } from '../definition/network.ts';
import type { AssumptionInput } from '../definition/question/assumption.ts';
import type { NetworkFence } from '../process/network.ts';
import type { Redactor } from '../process/redact.ts';

/** The task of an agent in one attempt. It is self-contained: an agent without memory can do it. */
export interface AgentRequest {
  readonly role: string;
  readonly runId: string;
  readonly step: string;
  readonly path: string;
  readonly attempt: number;
  readonly idempotencyKey: string;
  /** The instructions, including feedback on a failed attempt. */
  readonly prompt: string;
  /** The prompt in two parts, if people commented: a driver inserts its answer instructions between them. */
  readonly parts?: { readonly before: string; readonly people: string };
  readonly action: string | undefined;
  readonly script: string | undefined;
  readonly context: JsonObject;
  /** Why the previous attempt failed, if it did. */
  readonly feedback: string | undefined;
  /** Settings of the role for its driver. */
  readonly model?: string;
  readonly credential?: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Names of our environment variables that are passed on. Default: the usual ones. */
  readonly inheritEnv?: readonly string[];
  readonly timeoutMs: number | undefined;
  readonly watchdogs?: Watchdogs;
  /** The permitted actions. A driver denies all others and reports them in its answer. Default: `WORK_IN_PLACE`. */
  readonly permissions?: AgentPermissions;
  /** Limits the network access of the agent's program; a driver that starts one passes it on. */
  readonly fence?: NetworkFence;
  /** The JSON Schema of the output, for drivers that can pass it to their model. `check` has the final say. */
  readonly schema?: JsonObject;
  /** Returns why a reply is invalid; undefined if it is valid. The agent gets one chance to correct it. */
  readonly check?: (reply: AgentReply) => string | undefined;
  /** The session to resume. If it no longer exists, a new one starts with `handover` before the prompt. */
  readonly session?: { readonly id: string; readonly handover: string };
  /** The limits of this attempt. A driver that can measure the usage stops the agent at the limit. */
  readonly budget?: { readonly tokens?: number; readonly costUsd?: number; readonly turns?: number };
  /** The folder for pid files, so that a later engine finds processes that a crashed one left running. */
  readonly pidDir?: string;
  /** Masks secrets in all stored output of the agent. */
  readonly redactor?: Redactor;
  /** Called for each action of the agent as it happens. Must not throw. */
  readonly onEvent?: (event: AgentEvent) => void;
  readonly signal: AbortSignal;
}

/** How long an agent may be silent, and how long its program may run after it has answered. */
export interface Watchdogs {
  readonly idleMs?: number;
  readonly lingerMs?: number;
}

/** Kinds of actions of agents, as the Agent Client Protocol names them. */
export type ToolAction = 'read' | 'edit' | 'delete' | 'move' | 'search' | 'execute' | 'think' | 'fetch' | 'other';

/** The permissions of an agent: kinds of actions, and tools by the names that its program uses (`Bash(npm test)`). */
export interface AgentPermissions {
  readonly allow: readonly ToolAction[];
  /** Tools that are permitted in addition to those kinds. */
  readonly tools?: readonly string[];
  /** Tools that are forbidden, whatever their kind. */
  readonly deny?: readonly string[];
  /** The hosts that its program may connect to. Default: all. */
  readonly network?: NetworkSpec;
}

/** The default permissions: work on the files of the workspace, without the network. */
export const WORK_IN_PLACE: AgentPermissions = { allow: ['read', 'edit', 'delete', 'move', 'search', 'execute', 'think'] };

/** An action that an agent requested and was denied. */
export interface AgentRefusal {
  readonly tool: string;
  readonly action: ToolAction;
  readonly why: string;
}

/** An event for the transcript of the attempt. */
export type AgentEvent =
  | { readonly kind: 'text' | 'thought' | 'notice'; readonly text: string }
  | { readonly kind: 'tool'; readonly id: string; readonly name: string; readonly input: Json }
  | { readonly kind: 'tool-result'; readonly id: string; readonly ok: boolean; readonly text: string }
  | ({ readonly kind: 'refused' } & AgentRefusal);

/**
 * Why a driver returned no answer. `quota`: the account has no capacity until `resumeAt`; `unavailable`: the provider is
 * overloaded, failed or cannot be reached, which may be temporary; `budget`: the attempt's budget is used up; `refused`: the
 * model or the program refuses the task.
 */
export type AgentFailure = 'crash' | 'unavailable' | 'timeout' | 'quota' | 'auth' | 'refused' | 'invalid-output' | 'budget' | 'aborted';

/** The usage of an agent. Unknown amounts are missing, not zero. */
export interface AgentUsage {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly costUsd?: number;
  readonly turns?: number;
}

/** An agent's report on its work. All of it is a claim. */
export interface AgentReply {
  readonly success: boolean;
  readonly output: Json;
  readonly verdict?: 'approve' | 'reject';
  readonly message?: string;
  /** Its assumptions, if it did not ask. */
  readonly assumptions?: readonly AssumptionInput[];
}

/** A question of an agent to the person it works for: at most three at a time, with two or three options each. */
export interface AgentQuestion {
  readonly header?: string;
  readonly question: string;
  readonly options: readonly { readonly label: string; readonly description?: string }[];
  readonly multiSelect?: boolean;
}

/** Fields that every kind of answer can have. */
export interface AgentAnswerFields {
  readonly usage?: AgentUsage;
  /** The session of the answer, which can be resumed later. */
  readonly session?: string;
  /** True if `request.session` no longer existed and a new one was started. */
  readonly sessionLost?: boolean;
  readonly refusals?: readonly AgentRefusal[];
}

/** The result of a request. */
export type AgentAnswer =
  | (AgentAnswerFields & AgentReply & { readonly kind: 'answered' })
  | (AgentAnswerFields & { readonly kind: 'asks'; readonly questions: readonly AgentQuestion[] })
  | (AgentAnswerFields & {
      readonly kind: 'failed';
      readonly failure: AgentFailure;
      readonly message: string;
      readonly resumeAt?: number;
    });

/** A way to reach agents. Every driver passes the same suite (`describeDriver` in pawl/testing/suites). */
export interface AgentDriver {
  readonly name: string;
  /** It starts a program and passes `request.fence` on. Without this, network permissions cannot be enforced. */
  readonly fences?: true;
  /** Runs one attempt. It never rejects, and when it resolves no process of the attempt is running. */
  ask(request: AgentRequest): Promise<AgentAnswer>;
}
