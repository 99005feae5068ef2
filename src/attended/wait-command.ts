// Owns the command with which a person ends a wait.

import { shellWord } from '../base/shell-word.ts';
import type { WaitingApproval } from '../engine/request/approvals.ts';
import type { OpenWait } from '../engine/status.ts';
import type { Halt } from '../kernel/run-state.ts';

/** The context of a wait: its approval, whether several approvals are pending, and why the run halted. */
interface WaitContext {
  readonly approval: WaitingApproval | undefined;
  readonly several: boolean;
  readonly halt: Halt | undefined;
}

/** The command that ends a wait; undefined if only time or capacity does. */
export function commandFor(run: string, wait: OpenWait, { approval, several, halt }: WaitContext): string | undefined {
  switch (wait.kind) {
    case 'human': {
      if (approval?.posted !== undefined) return `pawl resume ${run}`;
      const option = approval?.question.options[0];
      if (option === undefined) return `pawl decide ${run}`;
      const which = several ? ` --approval ${shellWord(wait.path)}` : '';
      return `pawl decide ${run}${which} --option ${shellWord(option.label)}${option.requiresInput ? ' --input TEXT' : ''}`;
    }
    case 'child':
      return `pawl show ${wait.child}`;
    case 'escalation':
      return `pawl retry ${run}${halt?.reason === 'exhausted' ? ' --extend 1' : ''}`;
    case 'unknown':
      return `pawl resume ${run} --rerun ${shellWord(wait.path)}`;
    case 'pause':
    case 'checks':
      return `pawl resume ${run}`;
    case 'report':
      return `pawl next ${run}`;
    case 'answer':
      return `pawl answer ${run}`;
    case 'assumptions':
      return `pawl assumptions ${run}`;
    case 'signal':
      return `pawl signal ${run} ${shellWord(wait.name)}`;
    case 'capacity':
    case 'budget':
    case 'delay':
      return undefined;
  }
}
