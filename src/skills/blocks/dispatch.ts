// Owns the blocks that start sub-agents: one, several at the same time, or one under a condition, and the choice of a model.

import type { AgentRole } from '../../authoring/graph/dispatch.ts';
import { commandElement, escapeXml, nestedElement, textElement } from '../../base/xml.ts';
import { paramFlags, stepCommand } from './step.ts';

/** A sub-agent and the script that it follows. */
export interface SubagentDispatch {
  readonly agent: AgentRole | (string & {});
  readonly scriptPath: string;
  readonly step: number;
  readonly totalSteps: number;
  /** Values for the sub-agent. */
  readonly contextVars?: Readonly<Record<string, string | number | boolean>>;
  /** Parameters of the script, which is a skill: each becomes a flag of its command. */
  readonly params?: Readonly<Record<string, string | number | boolean>>;
  /** False, the default: it follows the script step by step. True: the script is only a start. */
  readonly freeForm?: boolean;
}

/** `<subagent_dispatch>`: start one sub-agent with this context. */
export function formatSubagentDispatch({
  agent,
  scriptPath,
  step,
  totalSteps,
  contextVars = {},
  params = {},
  freeForm = false,
}: SubagentDispatch): string {
  return nestedElement('subagent_dispatch', { agent, free_form: freeForm }, [
    ...Object.entries(contextVars).map(([name, value]) => textElement('context', { name }, String(value))),
    commandElement('invoke', stepCommand({ script: scriptPath, step, total: totalSteps, flags: paramFlags(params) })),
    escapeXml(
      freeForm
        ? `Start a new ${agent} sub-agent with this context. It begins with the command and may leave the script where the work requires it.`
        : `Start a new ${agent} sub-agent with this context and tell it: run the command, do exactly what it prints, and continue with the command that it names until it prints COMPLETE.`,
    ),
  ]);
}

/** `<model_selection>`: the model of a sub-agent, by the work. */
export function formatModelSelection(choices: readonly { readonly model: string; readonly when: string }[]): string {
  return nestedElement(
    'model_selection',
    {},
    choices.map(({ model, when }) => textElement('use', { model }, when)),
  );
}

/** `<parallel_dispatch>`: start several sub-agents in one message, and wait for all. */
export function formatParallelDispatch(dispatches: readonly SubagentDispatch[]): string {
  return nestedElement('parallel_dispatch', { count: dispatches.length }, [
    `Start all ${dispatches.length} sub-agents in one message, so that they work at the same time. Continue when all of them have returned.`,
    ...dispatches.map(formatSubagentDispatch),
  ]);
}

/** `<conditional_dispatch>`: start a sub-agent if a condition holds. */
export function formatConditionalDispatch(
  condition: string,
  { dispatch, otherwise }: { readonly dispatch: SubagentDispatch; readonly otherwise: string },
): string {
  return nestedElement('conditional_dispatch', {}, [
    textElement('if', {}, condition),
    formatSubagentDispatch(dispatch),
    textElement('otherwise', {}, otherwise),
  ]);
}
