// Owns the blocks of a step: its header, the actions, the next command, and the whole output.

import { shellWord } from '../../base/shell-word.ts';
import { commandElement, escapeXml, nestedElement, textElement } from '../../base/xml.ts';
import { type ActionPart, partsOf } from '../../definition/action-part.ts';
import type { Routing } from '../routing.ts';

/** A step by its number. */
export interface StepPosition {
  /** The command that prints the step, without its flags, such as `pawl skill step review`. */
  readonly script: string;
  readonly step: number;
  readonly total: number;
  /** Flags of every command: the parameters of the skill. */
  readonly flags?: readonly string[];
}

/** What follows a step: nothing, a command, or one of two commands by the verdict. */
export type NextCommand =
  | { readonly kind: 'terminal' }
  | { readonly kind: 'linear'; readonly command: string }
  | { readonly kind: 'branch'; readonly ifPass: string; readonly ifFail: string };

/** The command that prints a step. */
export function stepCommand({ script, step, total, flags = [] }: StepPosition, more: readonly string[] = []): string {
  return [`${script} --step ${step} --total-steps ${total}`, ...flags, ...more].join(' ');
}

/** The flags of `pawl skill step` for the parameters of a skill. */
export function paramFlags(params: Readonly<Record<string, string | number | boolean>>): string[] {
  return Object.entries(params).map(([name, value]) => `-p ${shellWord(`${name}=${value}`)}`);
}

/** `<step_header>`: the title of a step and its number. */
export function formatStepHeader({ script, step, total, title }: StepPosition & { readonly title: string }): string {
  return textElement('step_header', { script, step, total }, title);
}

/** `<DO>`: the actions. Blocks are not changed, texts are escaped. */
export function formatCurrentAction(actions: readonly string[]): string {
  return formatParts(partsOf(actions, {}));
}

/** `<DO>` from actions whose kind is known. */
function formatParts(parts: readonly ActionPart[]): string {
  return nestedElement(
    'DO',
    {},
    parts.map((part) => (part.kind === 'block' ? part.xml : escapeXml(part.text))),
  );
}

/** `<NEXT>`: the command to run when the step is done. */
export function formatNextBlock(command: string): string {
  return commandElement('NEXT', command);
}

/** `<INVOKE_AFTER>`: what to do after the step. */
export function formatInvokeAfter(following: NextCommand): string {
  switch (following.kind) {
    case 'terminal':
      return textElement(
        'INVOKE_AFTER',
        {},
        'COMPLETE: this is the last step. Report to the person you work for, and run no further step.',
      );
    case 'linear':
      return textElement('INVOKE_AFTER', {}, 'When everything in DO is done, run the command in NEXT. Do not skip or reorder steps.');
    case 'branch':
      return nestedElement('INVOKE_AFTER', {}, [commandElement('if_pass', following.ifPass), commandElement('if_fail', following.ifFail)]);
  }
}

/** `<xml_mandate>`: how to read the output of a step. */
export function formatXmlMandate(): string {
  return nestedElement('xml_mandate', {}, [
    'This output is the workflow. Do exactly what DO says, in its order, and nothing else.',
    'Then run the command that NEXT or INVOKE_AFTER gives. Do not read ahead, skip a step or improve on it.',
  ]);
}

/** `<routing>`: the routing of a step, as data. */
export function formatRouting(routing: Routing): string {
  if (routing.kind === 'branch') return textElement('routing', { kind: 'branch', if_pass: routing.ifPass, if_fail: routing.ifFail }, '');
  return textElement('routing', { kind: routing.kind, to: routing.kind === 'linear' ? routing.to : undefined }, '');
}

/** The whole output of a step. */
export function formatStepOutput({
  actions,
  following,
  ...head
}: StepPosition & { readonly title: string; readonly actions: readonly string[]; readonly following: NextCommand }): string {
  return formatStepParts({ ...head, parts: partsOf(actions, {}), following });
}

/** The whole output of a step from actions whose kind is known. */
export function formatStepParts({
  parts,
  following,
  ...head
}: StepPosition & { readonly title: string; readonly parts: readonly ActionPart[]; readonly following: NextCommand }): string {
  const command = commandOf(following);
  return nestedElement('step_output', { step: head.step, total: head.total }, [
    formatStepHeader(head),
    formatParts(parts),
    ...(command === undefined ? [] : [formatNextBlock(command)]),
    formatInvokeAfter(following),
  ]);
}

/** The only command that can follow; undefined after the last step, and if the verdict chooses between two. */
export function commandOf(following: NextCommand): string | undefined {
  return following.kind === 'linear' ? following.command : undefined;
}
