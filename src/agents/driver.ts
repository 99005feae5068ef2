// Owns the seam to agents: what a driver is asked and what it answers. How a role is reached (a program, a protocol,
// a script) is the driver's business; what its answer is worth is decided by the engine, which looks at the world.

import type { Json, JsonObject } from '../base/json.ts';
import type { Redactor } from '../process/redact.ts';

/** What an agent is asked to do in one attempt. The text stands alone: an agent that has forgotten all else can do it. */
export interface AgentRequest {
  readonly role: string;
  readonly runId: string;
  readonly step: string;
  readonly path: string;
  readonly attempt: number;
  readonly idempotencyKey: string;
  /** The instructions, feedback of a failed attempt included. */
  readonly prompt: string;
  readonly action: string | undefined;
  readonly script: string | undefined;
  readonly context: JsonObject;
  /** After a failed attempt, what was wrong with it. */
  readonly feedback: string | undefined;
  /** What the role asks of its driver, where it says. */
  readonly model?: string;
  readonly credential?: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Names of our own variables that are let through; without it, the usual ones. */
  readonly inheritEnv?: readonly string[];
  readonly timeoutMs: number | undefined;
  readonly watchdogs?: Watchdogs;
  /** What may be done; a driver refuses the rest and says so in its answer. Without it: `WORK_IN_PLACE`. */
  readonly permissions?: AgentPermissions;
  /** The JSON Schema of the output, for drivers that can hand it to their model. `check` is what decides. */
  readonly schema?: JsonObject;
  /** Says what is wrong with a reply. The agent gets one chance to mend it. */
  readonly check?: (reply: AgentReply) => string | undefined;
  /** The session to go on with. When it is gone, a fresh one begins with `handover` before the prompt. */
  readonly session?: { readonly id: string; readonly handover: string };
  /** What this attempt may use; a driver that can tell stops the agent there. */
  readonly budget?: { readonly tokens?: number; readonly costUsd?: number; readonly turns?: number };
  /** Where pid files go, so that a later engine finds what a crashed one left running. */
  readonly pidDir?: string;
  /** Masks secrets in all that is kept of the agent's words. */
  readonly redactor?: Redactor;
  /** Hears what the agent does, as it does it; must not throw. */
  readonly onEvent?: (event: AgentEvent) => void;
  readonly signal: AbortSignal;
}

/** How long an agent may be silent, and how long its program may go on after it has answered. */
export interface Watchdogs {
  readonly idleMs?: number;
  readonly lingerMs?: number;
}

/** Kinds of things that agents do, as the Agent Client Protocol names them. */
export type AgentDeed = 'read' | 'edit' | 'delete' | 'move' | 'search' | 'execute' | 'think' | 'fetch' | 'other';

/** What an agent may do: kinds of deeds, and tools by the name that its program gives them (`Bash(npm test)`). */
export interface AgentPermissions {
  readonly deeds: readonly AgentDeed[];
  /** Tools that may be used beside those of the kinds above. */
  readonly tools?: readonly string[];
  /** Tools that may not be used, whatever their kind. */
  readonly not?: readonly string[];
}

/** What an agent may do where nothing is said: work on the files in front of it, without the network. */
export const WORK_IN_PLACE: AgentPermissions = { deeds: ['read', 'edit', 'delete', 'move', 'search', 'execute', 'think'] };

/** Something an agent wanted to do and was not let. */
export interface AgentRefusal {
  readonly tool: string;
  readonly deed: AgentDeed;
  readonly why: string;
}

/** What an agent does, for the transcript of the attempt. */
export type AgentEvent =
  | { readonly kind: 'text' | 'thought' | 'notice'; readonly text: string }
  | { readonly kind: 'tool'; readonly id: string; readonly name: string; readonly input: Json }
  | { readonly kind: 'tool-result'; readonly id: string; readonly ok: boolean; readonly text: string }
  | ({ readonly kind: 'refused' } & AgentRefusal);

/**
 * Why a driver could not bring an answer. `quota`: the account is used up until `resumeAt`; `budget`: what the attempt
 * may use is; `refused`: the model or the program will not do it.
 */
export type AgentFailure = 'crash' | 'timeout' | 'quota' | 'auth' | 'refused' | 'invalid-output' | 'budget' | 'aborted';

/** What an agent used; unknown is unknown, not zero. */
export interface AgentUsage {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly costUsd?: number;
  readonly turns?: number;
}

/** What an agent says of its work. All of it is a claim. */
export interface AgentReply {
  readonly success: boolean;
  readonly output: Json;
  readonly verdict?: 'approve' | 'reject';
  readonly message?: string;
}

/** A question of an agent to the person it works for; at most three at a time, with two or three options each. */
export interface AgentQuestion {
  readonly header?: string;
  readonly question: string;
  readonly options: readonly { readonly label: string; readonly description?: string }[];
  readonly multiSelect?: boolean;
}

/** What comes with an answer, whatever it is. */
export interface Answered {
  readonly usage?: AgentUsage;
  /** The session that the answer came from, to go on with later. */
  readonly session?: string;
  /** True when `request.session` was gone and a fresh one began. */
  readonly sessionLost?: boolean;
  readonly refusals?: readonly AgentRefusal[];
}

/** What came of asking. */
export type AgentAnswer =
  | (Answered & AgentReply & { readonly kind: 'answered' })
  | (Answered & { readonly kind: 'asks'; readonly questions: readonly AgentQuestion[] })
  | (Answered & {
      readonly kind: 'failed';
      readonly failure: AgentFailure;
      readonly message: string;
      readonly resumeAt?: number;
    });

/** A way to reach agents. Every driver passes the same suite (`describeDriver` in pawl/testing). */
export interface AgentDriver {
  readonly name: string;
  /** Asks once. It never rejects, and when it has answered nothing of the attempt is left running. */
  ask(request: AgentRequest): Promise<AgentAnswer>;
}
