// Owns the seam of gate checks: what a check is asked and what it answers. A check looks at the world and says pass or
// fail; when it could not look, it says that, and the gate neither passes nor fails.

import type { Json, JsonObject } from '../../base/json.ts';
import type { CommandResult } from '../../process/command.ts';
import type { ProgramSetting } from '../services.ts';

/** Where and for what a check looks. */
export interface CheckScene {
  /** The workspace. */
  readonly cwd: string;
  readonly runId: string;
  readonly step: string;
  readonly attempt: number;
  readonly params: JsonObject;
  readonly signal: AbortSignal;
  readonly now: () => number;
  /** Runs a program in the workspace, with the declared environment, masked, ended with the attempt. */
  run(program: ProgramSetting): Promise<CommandResult>;
}

/** What a check found. `passed: null`: it could not be made, and `error` says why. */
export interface CheckVerdict {
  readonly passed: boolean | null;
  readonly result: Json;
  readonly error?: string;
  /** True when it could not be made because its time ran out. */
  readonly timedOut?: boolean;
}

/** A kind of check. What it throws counts as "could not be made". */
export interface GateCheck {
  readonly name: string;
  /** Looks once. `config` is what the gate's definition says about this check. */
  run(config: JsonObject, scene: CheckScene): CheckVerdict | Promise<CheckVerdict>;
}
