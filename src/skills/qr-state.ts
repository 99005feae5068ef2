// Owns the state of a loop of work, quality review and gate. In the stateless form of a skill it is passed in flags:
// `--qr-iteration N`, `--qr-fail` and `--qr-status pass|fail`.

import type { AgentRole } from '../authoring/graph/dispatch.ts';
import { EngineError } from '../base/error.ts';
import { omitUndefined } from '../base/fields.ts';

/** The result of a review. */
export type QRStatus = 'pass' | 'fail';

/** The state of a review loop. */
export interface QRState {
  /** The round of the loop, from 1. */
  readonly iteration: number;
  /** Whether the step must fix the findings of a review. */
  readonly failed: boolean;
  /** The result of the latest review; undefined before the first one. */
  readonly status?: QRStatus;
}

/** Creates the state of a review loop. Default: before the first review. */
export function qrState({ iteration = 1, failed = false, status }: Partial<QRState> = {}): QRState {
  if (!Number.isInteger(iteration) || iteration < 1)
    throw new EngineError('USAGE', `--qr-iteration must be a whole number from 1, not ${iteration}`);
  return Object.freeze({ iteration, failed, ...omitUndefined({ status }) });
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
  /** In a run: the document with the verdicts of the reviewer, `{ "verdicts": [{ "id", "status", "evidence" }], "findings": [{ "severity", "text" }] }`. */
  readonly verdicts?: string;
}

/** A gate after a review: who fixes the findings, and what follows. */
export type GateConfig = GateTargets &
  (
    | { readonly selfFix: true; readonly fixTarget?: AgentRole | (string & {}) }
    | {
        readonly selfFix: false;
        /** The role that fixes the findings. */
        readonly fixTarget: AgentRole | (string & {});
      }
  );

/** Creates a gate after a review. */
export function gateConfig(config: GateConfig): GateConfig {
  return Object.freeze({ ...config });
}

/** The flags that pass the state of a loop to another step. */
export function qrFlags({ iteration, failed, status }: QRState): string[] {
  return [
    ...(iteration === 1 ? [] : [`--qr-iteration ${iteration}`]),
    ...(failed ? ['--qr-fail'] : []),
    ...(status === undefined ? [] : [`--qr-status ${status}`]),
  ];
}

/** Parses the state of a loop from flags; `--qr-fail` is `true`, `false`, or has no value. */
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
  return qrState({
    iteration: Number(iteration ?? 1),
    failed: fail === 'true',
    ...omitUndefined<{ status: QRStatus | undefined }>({ status }),
  });
}
