// Owns the reactions of runs to forge events: each happens once per delivery, however often it is requested, also after a
// crash. Like every request a reaction is mail, but it reports a fact: it stays if this process cannot drive the run.

import { EngineError, isEngineError } from '../../base/error.ts';
import { isFinal } from '../../definition/run-status.ts';
import type { ReactionRecord } from '../../definition/trigger/reaction.ts';
import { childOf } from '../../kernel/activation.ts';
import type { ControlAction, InputOf } from '../../kernel/input.ts';
import type { EngineCore } from '../engine.ts';
import { requireActor } from './actor.ts';
import { send } from './delivery.ts';
import { controlRun } from './requests.ts';

/** A reaction of a run to an event. */
export interface ReactionRequest {
  readonly action: Extract<ControlAction, { do: 'cancel' | 'recheckGates' | 'wake' | 'back' }>;
  readonly reaction: ReactionRecord;
  /** Who caused the event. */
  readonly actor: string;
}

/** Makes a run react to an event. Resolves when that is on disk; an ended run does not react. */
export async function reactToEvent(core: EngineCore, run: string, request: ReactionRequest): Promise<void> {
  const { action, reaction } = request;
  const actor = requireActor(request, `react in run ${run}`);
  const { state } = await core.store.load(run);
  if (isFinal(state.status)) return;
  const input: InputOf<'control'> = { type: 'control', at: core.clock.now(), actor, action, reaction };
  const dedupe = `reaction/${reaction.eventId}/${reaction.rule}`;
  const options = { stays: true, cancel: action.do === 'cancel' };
  try {
    await send(core, { run, dedupe, input, values: [] }, options);
  } catch (error) {
    // It is on disk, and a process that can drive the run will act on it.
    if (!isEngineError(error) || error.code === 'ENGINE_CLOSED') throw error;
    core.warn(error);
  }
  await cancelStrayChildren(core, run, actor);
}

/** Stops a run that has reached a limit, once per `id`: it escalates, and a person decides how it continues. */
export async function haltRun(
  core: EngineCore,
  run: string,
  request: { readonly limit: string; readonly message: string; readonly actor: string; readonly id: string },
): Promise<void> {
  const { limit, message, actor, id } = request;
  const input: InputOf<'control'> = { type: 'control', at: core.clock.now(), actor, action: { do: 'halt', limit, message } };
  await send(core, { run, dedupe: `halt/${id}`, input, values: [] }, { stays: true });
  await cancelStrayChildren(core, run, actor);
}

/** Cancels the children that a run no longer waits for because it went back or stopped. */
async function cancelStrayChildren(core: EngineCore, run: string, actor: string): Promise<void> {
  const { state } = await core.store.load(run);
  const awaited = new Set(Object.values(state.live).map(childOf));
  for (const { id, status } of await core.store.list({ parent: run })) {
    if (isFinal(status) || awaited.has(id)) continue;
    const action: ControlAction = { do: 'cancel', reason: `run ${run} no longer waits for it` };
    await controlRun(core, id, { action, actor }).catch((error: unknown) => {
      if (!(error instanceof EngineError) || error.code !== 'RUN_FINAL') core.warn(error);
    });
  }
}
