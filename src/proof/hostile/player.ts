// Plays an attended hostile agent: it accepts every open step, tries its tricks, does something else instead of the work,
// and reports what an honest agent would report.

import type { RunHandle } from '../../api/run.ts';
import type { RunView } from '../../engine/inspect.ts';
import type { OpenStep } from '../../engine/request/open-steps.ts';
import type { HostileAgent, HostileTarget } from './agents.ts';
import { driveRun, type HostileStage } from './stage.ts';
import { reported, type TokenAttackContext } from './tricks.ts';

const ROUNDS_MAX = 60;
const NEVER = new Promise<void>(() => {});

interface Player {
  readonly agent: HostileAgent;
  /** What it works against at a step. */
  readonly targetAt: (step: string) => HostileTarget;
}

/** Plays a run to where it goes no further. */
export async function playAttended(
  stage: HostileStage,
  handle: RunHandle,
  { agent, targetAt }: Player,
): Promise<{ readonly view: RunView; readonly breaches: readonly string[] }> {
  const earlier: OpenStep[] = [];
  const breaches: string[] = [];
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    await driveRun(stage, handle, NEVER);
    const [openStep] = await handle.openSteps();
    if (openStep === undefined) break;
    const reply = await agent.act(targetAt(openStep.step), stage.cwd);
    if (reply === 'hangs') break;
    const result = reply === 'crashes' ? { success: false } : reply.output;
    const context: TokenAttackContext = { run: handle, step: openStep, result, earlier: [...earlier] };
    breaches.push(...((await agent.trick?.(context)) ?? []));
    await reported(context, openStep.token, result);
    earlier.push(openStep);
    if ((await handle.openSteps()).some(({ token }) => token === openStep.token)) break;
  }
  return { view: await handle.wait('idle'), breaches };
}
