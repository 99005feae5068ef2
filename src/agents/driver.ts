// Owns the seam to agents: what a driver is asked and what it answers. How a role is reached (a program, a protocol,
// a script) is the driver's business; what its answer is worth is decided by the engine, which looks at the world.

import type { Json, JsonObject } from '../base/json.ts';

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
  readonly timeoutMs: number | undefined;
  readonly signal: AbortSignal;
}

/** Why a driver could not bring an answer. */
export type AgentFailure = 'crash' | 'timeout' | 'quota' | 'auth' | 'refused' | 'invalid-output' | 'aborted';

/** What an agent used; unknown is unknown, not zero. */
export interface AgentUsage {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly costUsd?: number;
  readonly turns?: number;
}

/** What came of asking. `verdict` and `success` are the agent's claim. */
export type AgentAnswer =
  | {
      readonly kind: 'answered';
      readonly success: boolean;
      readonly output: Json;
      readonly verdict?: 'approve' | 'reject';
      readonly message?: string;
      readonly usage?: AgentUsage;
    }
  | {
      readonly kind: 'failed';
      readonly failure: AgentFailure;
      readonly message: string;
      readonly resumeAt?: number;
      readonly usage?: AgentUsage;
    };

/** A way to reach agents. Every driver passes the same suite (`describeDriver` in pawl/testing). */
export interface AgentDriver {
  readonly name: string;
  /** Asks once. It never rejects, and when it has answered nothing of the attempt is left running. */
  ask(request: AgentRequest): Promise<AgentAnswer>;
}
