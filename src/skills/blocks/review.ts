// Owns the blocks of a review loop: the banners with the round, the result of a reviewer, and the gate that routes by its
// verdict.
//
// An agent acts on the newest output that it has read and forgets earlier ones. So the result of a sub-agent contains what
// must happen after it: <orchestrator_action>.

import { commandElement, escapeXml, nestedElement, textElement } from '../../base/xml.ts';
import { blockingSeverities, REVIEW_ROUNDS_MAX, reviewBanner } from '../../definition/review/review.ts';
import { type GateConfig, type QRState, type QRStatus, qrFlags, qrState } from '../qr-state.ts';
import { formatStepOutput, type NextCommand, type StepPosition, stepCommand } from './step.ts';

/** `<state_banner>`: the checkpoint, the round, and the mode of the review. */
export function formatStateBanner(checkpoint: string, { iteration, mode }: { readonly iteration: number; readonly mode: string }): string {
  return textElement('state_banner', { checkpoint, iteration, mode }, `${checkpoint}: iteration ${iteration}, ${mode}`);
}

/** The first line of a review: its name, its round, and whether it is a new review. */
export function formatQrBanner({
  qr,
  qrName,
  freshReview = false,
}: {
  readonly qr: QRState;
  readonly qrName: string;
  readonly freshReview?: boolean;
}): string {
  return reviewBanner(qrName, qr.iteration, freshReview);
}

/** `<post_qr_routing>`: the command after a review, by its verdict. */
export function formatPostQrRouting({ qr, ...gate }: StepPosition & { readonly qr: QRState }): string {
  return nestedElement('post_qr_routing', {}, [
    commandElement('if_pass', gateCommand(gate, qr, 'pass')),
    commandElement('if_fail', gateCommand(gate, qr, 'fail')),
  ]);
}

function gateCommand(gate: StepPosition, qr: QRState, status: QRStatus): string {
  return stepCommand(gate, qrFlags(qrState({ iteration: qr.iteration, status })));
}

/** The result of a reviewing sub-agent that wrote its findings to a file. It tells its reader to run the gate before any fix. */
export function formatQrFileOutput({
  file,
  status,
  qr,
  otherwise,
  ...gate
}: StepPosition & {
  readonly file: string;
  readonly status: QRStatus;
  readonly qr: QRState;
  /** What to do if that command does not lead to the gate, such as in a run. */
  readonly otherwise?: string;
}): string {
  return nestedElement('qr_file_output', { status }, [
    textElement('findings_file', {}, file),
    nestedElement('orchestrator_action', {}, [
      escapeXml(`The review has ended: ${status}. Do not read the findings and fix nothing yet. Run the gate first:`),
      commandElement('invoke', gateCommand(gate, qr, status)),
      ...(otherwise === undefined ? [] : [escapeXml(otherwise)]),
    ]),
  ]);
}

/** `<gate_result>`: the decision of a gate. */
export function formatGateResult(status: QRStatus, { message }: { readonly message: string }): string {
  return textElement('gate_result', { status }, message);
}

/** The actions of a gate, depending on the verdict of the review. */
export function formatGateActions({ qr, gate }: { readonly qr: QRState; readonly gate: GateConfig }): string[] {
  if (qr.status === undefined)
    return [
      `${gate.qrName}: this gate has no verdict of the review, so it cannot choose the next step.`,
      'Run it again with the command for the verdict of the review. Do not choose a verdict that no review gave.',
    ];
  if (qr.status === 'pass')
    return [
      formatGateResult('pass', { message: gate.passMessage }),
      gate.passStep === null ? 'The work is complete.' : `Continue with step ${gate.passStep}.`,
    ];
  if (qr.iteration >= REVIEW_ROUNDS_MAX)
    return [
      formatGateResult('fail', { message: `${gate.qrName} has failed ${qr.iteration} times.` }),
      'STOP: no further round. Show the open findings to the person you work for and let them decide.',
    ];
  return [
    formatGateResult('fail', { message: `${gate.qrName} found issues in round ${qr.iteration}.` }),
    `STOP: the work does not continue until a review passes. Blocking in round ${qr.iteration}: ${blockingSeverities(qr.iteration).join(', ')}.`,
    gate.selfFix
      ? `Fix the blocking findings in step ${gate.workStep}; then the review runs again, in round ${qr.iteration + 1}.`
      : `Send the ${gate.fixTarget} to fix the blocking findings in step ${gate.workStep}; then the review runs again, in round ${qr.iteration + 1}.`,
  ];
}

/** What follows a gate, by the verdict of the review. */
export function gateFollowing(at: StepPosition, { qr, gate }: { readonly qr: QRState; readonly gate: GateConfig }): NextCommand {
  if (qr.status === undefined) return { kind: 'branch', ifPass: gateCommand(at, qr, 'pass'), ifFail: gateCommand(at, qr, 'fail') };
  if (qr.status === 'pass')
    return gate.passStep === null ? { kind: 'terminal' } : { kind: 'linear', command: stepCommand({ ...at, step: gate.passStep }) };
  if (qr.iteration >= REVIEW_ROUNDS_MAX) return { kind: 'terminal' };
  const again = qrState({ iteration: qr.iteration + 1, failed: true });
  return { kind: 'linear', command: stepCommand({ ...at, step: gate.workStep }, qrFlags(again)) };
}

/** The whole output of a gate. */
export function formatGateStep({
  qr,
  gate,
  ...at
}: StepPosition & { readonly title: string; readonly qr: QRState; readonly gate: GateConfig }): string {
  return formatStepOutput({ ...at, actions: formatGateActions({ qr, gate }), following: gateFollowing(at, { qr, gate }) });
}
