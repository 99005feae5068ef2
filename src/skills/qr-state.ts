// Owns where a loop of work, quality review and gate stands, and which findings stop it. In the stateless form of a skill
// this travels in flags: `--qr-iteration N`, `--qr-fail` and `--qr-status pass|fail`.

import type { AgentRole } from '../authoring/graph/dispatch.ts';
import { EngineError } from '../base/error.ts';

/** How a review ended. */
export type QRStatus = 'pass' | 'fail';

/** The state of a review loop. */
export interface QRState {
  /** The round of the loop, from 1. */
  readonly iteration: number;
  /** The step is entered to fix what a review found. */
  readonly failed: boolean;
  /** How the latest review ended; undefined before the first one. */
  readonly status?: QRStatus;
}

/** Where a review loop stands; left out: before the first review. */
export function QRState({ iteration = 1, failed = false, status }: Partial<QRState> = {}): QRState {
  if (!Number.isInteger(iteration) || iteration < 1)
    throw new EngineError('USAGE', `--qr-iteration must be a whole number from 1, not ${iteration}`);
  return Object.freeze({ iteration, failed, ...(status === undefined ? {} : { status }) });
}

/** The checks of a gate, and its transitions. */
export interface GateTargets {
  /** The name of the review, such as `Plan Review`. */
  readonly qrName: string;
  /** The step that a failed review leads back to. */
  readonly workStep: number;
  /** The step that a passed review leads to; null ends the skill. */
  readonly passStep: number | null;
  readonly passMessage: string;
  /** In a run: the document with the items of the review, `{ "items": [{ "id", "severity", "question" }] }`. */
  readonly items?: string;
  /** In a run: the document with what the reviewer saw, `{ "verdicts": [{ "id", "status", "evidence" }], "findings": [{ "severity", "text" }] }`. */
  readonly verdicts?: string;
}

/** A gate after a review: who fixes what the review found, and what follows. */
export type GateConfig = GateTargets &
  (
    | { readonly selfFix: true; readonly fixTarget?: AgentRole | (string & {}) }
    | {
        readonly selfFix: false;
        /** The role that is sent to fix it. */
        readonly fixTarget: AgentRole | (string & {});
      }
  );

/** A gate after a review. */
export function GateConfig(config: GateConfig): GateConfig {
  return Object.freeze({ ...config });
}

/** The flags that carry the state of a loop to another step. */
export function qrFlags({ iteration, failed, status }: QRState): string[] {
  return [
    ...(iteration === 1 ? [] : [`--qr-iteration ${iteration}`]),
    ...(failed ? ['--qr-fail'] : []),
    ...(status === undefined ? [] : [`--qr-status ${status}`]),
  ];
}

/** The state of a loop as flags name it; `--qr-fail` is `true`, `false`, or given alone. */
export function readQrState(flags: {
  readonly iteration?: string | undefined;
  readonly fail?: string | undefined;
  readonly status?: string | undefined;
}): QRState {
  const { iteration, fail, status } = flags;
  if (iteration !== undefined && !/^[1-9]\d{0,5}$/.test(iteration))
    throw new EngineError('USAGE', `--qr-iteration must be a whole number from 1, not "${iteration}"`);
  if (fail !== undefined && fail !== 'true' && fail !== 'false')
    throw new EngineError('USAGE', `--qr-fail must be true or false, not "${fail}"; alone it means true`);
  if (status !== undefined && status !== 'pass' && status !== 'fail')
    throw new EngineError('USAGE', `--qr-status must be pass or fail, not "${status}"`);
  return QRState({
    ...(iteration === undefined ? {} : { iteration: Number(iteration) }),
    failed: fail === 'true',
    ...(status === undefined ? {} : { status }),
  });
}
