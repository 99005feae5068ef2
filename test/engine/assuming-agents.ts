// Owns agents that assume something instead of asking, for the tests of assumptions.

import type { AgentRequest } from '../../src/agents/driver.ts';
import { createScriptedDriver, type ScriptedMove } from '../../src/agents/scripted.ts';
import type { Engine, EngineOptions, RunHandle } from '../../src/index.ts';
import type { Rig } from './rig.ts';

/** An assumption. */
export const DATABASE = { question: 'Which database?', assumed: 'SQLite', severity: 'MUST' } as const;

/** Answers, and assumes something. */
export const assuming = (...assumptions: readonly object[]): readonly ScriptedMove[] => [
  { do: 'answer', output: { done: true }, assumptions: assumptions as never },
];

/** The attempts of a run, each with its outcome. */
export const pathsOf = async (run: RunHandle): Promise<string[]> =>
  (await run.get()).steps.map(({ path, attempt, outcome, status }) => `${path}/${attempt} ${outcome ?? status}`);

/** Agents of the role `dev`. */
export class AssumingAgents {
  /** What they do, by step. */
  moves: Record<string, (request: AgentRequest) => readonly ScriptedMove[]> = {};
  private readonly asked: AgentRequest[] = [];

  /** Opens an engine that has them. */
  open(rig: Rig, options: EngineOptions = {}): Promise<Engine> {
    const driver = createScriptedDriver((request) => {
      this.asked.push(request);
      return this.moves[request.step]?.(request) ?? [];
    });
    return rig.open({ roles: { dev: { driver: 'scripted' } }, drivers: { scripted: driver }, ...options });
  }

  /** The last prompt for a step. */
  toldTo(step: string): string {
    return this.asked.findLast((one) => one.step === step)?.prompt ?? '';
  }
}
