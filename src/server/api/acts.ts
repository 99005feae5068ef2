// Owns the routes that change runs. Each checks the caller's rights and calls the same code as the command line. The run
// continues in this server, or in the process that drives it.

import type * as z from 'zod';
import { compiledOf } from '../../api/workflow-source.ts';
import { readQuestions, selectQuestions } from '../../attended/questions.ts';
import { isOthersRun, type Right, rightOf } from '../../authority/right.ts';
import { EngineError, isEngineError } from '../../base/error.ts';
import { omitUndefined } from '../../base/fields.ts';
import { deriveRunId } from '../../base/id.ts';
import type { Signature } from '../../base/signature.ts';
import { changeSince, decisionOn } from '../../control/approval-change.ts';
import { findApproval, TOO_LATE, tooLate } from '../../control/decision.ts';
import { readForkTable } from '../../control/fork-table.ts';
import { assertStoppedAt, assertUnknown, type ChoiceParts, choicesOf } from '../../control/resume-choice.ts';
import type { ForkTable } from '../../control/schema/fork.ts';
import type { RunReport } from '../../control/schema/run.ts';
import { startedText, starterOf } from '../../control/starter.ts';
import { bindParams } from '../../definition/param/arg.ts';
import { isFinal } from '../../definition/run-status.ts';
import type { ResumeChoice } from '../../engine/request/resume.ts';
import type { Store } from '../../store/store.ts';
import type { Caller } from '../caller.ts';
import type { answerBody, bulkBody, decideBody, forkBody, startBody } from '../contract/act.ts';
import { problemOf } from '../problem.ts';
import { recheckSubjects } from '../recheck-subjects.ts';
import { handle, type RequestAct, type ServerApp } from '../route.ts';
import type { Services } from '../services.ts';
import { API_ROUTES } from './routes.ts';
import { reportOf } from './runs.ts';
import { iso } from './times.ts';

/** Mounts the routes that act. */
export function mountActs(app: ServerApp, services: Services): void {
  const target = { app, repeats: services.repeats };
  handle(target, API_ROUTES.start, ({ body, caller, key, note }) => start(services, caller, { body, key, note }));
  handle(target, API_ROUTES.decide, ({ param, body, caller, key, note }) =>
    decide(services, caller, { run: param('id'), body, key, note }),
  );
  handle(target, API_ROUTES.answer, ({ param, body, caller, note }) => answer(services, caller, { run: param('id'), body, note }));
  handle(target, API_ROUTES.recheck, async ({ param, note }) => {
    note();
    return { changed: await recheckApprovals(services, param('id')) };
  });
  handle(target, API_ROUTES.signal, async ({ param, body: { name, payload, id }, caller, key, note }) => {
    const run = param('id');
    note({ action: 'signal', run, choice: name });
    await demandSteering(services.store, caller, { run, on: 'signal' });
    await assertOpen(services, run);
    await services.engine.run(run).signal(name, omitUndefined({ payload, id: id ?? key }));
    return reportOf(services, run);
  });
  handle(target, API_ROUTES.cancel, async ({ param, body, caller, note }) => {
    const run = param('id');
    note({ action: 'cancel', run, choice: body.dryRun ? DRY_RUN : body.undo === false ? 'without undo' : body.reason });
    if (body.dryRun) return cancelPlanOf(services, run);
    await cancel(services, caller, { run, ...body });
    return reportOf(services, run);
  });
  handle(target, API_ROUTES.pause, async ({ param, caller, note }) => {
    const run = param('id');
    note({ action: 'pause', run });
    const { actor } = await demandSteering(services.store, caller, { run, on: 'pause' });
    await services.engine.run(run).pause({ actor });
    return reportOf(services, run);
  });
  handle(target, API_ROUTES.resume, async ({ param, body, caller, note }) => {
    const run = param('id');
    note({ action: 'resume', run });
    await resume(services, caller, { run, parts: body, note });
    return reportOf(services, run);
  });
  handle(target, API_ROUTES.retry, async ({ param, body: { step, ...parts }, caller, note }) => {
    const run = param('id');
    note({ action: 'retry', run, step });
    assertStoppedAt((await services.store.load(run)).state, step);
    await resume(services, caller, { run, parts: { retry: true, ...parts }, note });
    return reportOf(services, run);
  });
  handle(target, API_ROUTES.fork, ({ param, body, caller, note }) => fork(services, caller, { run: param('id'), body, note }));
  handle(target, API_ROUTES.bulk, ({ body, caller, note }) => bulk(services, caller, { ...body, note }));
}

type Note = (...acts: readonly RequestAct[]) => void;

/** The choice in the audit for a request that changes nothing. */
const DRY_RUN = 'dry run';

/** A start with a key has an id derived from the key, so that it is one run even after a crash. */
async function start(
  services: Services,
  caller: Caller,
  { body, key, note }: { readonly body: z.output<typeof startBody>; readonly key: string | undefined; readonly note: Note },
): Promise<RunReport> {
  const { engine, project, store } = services;
  const { workflow: name, params, tags, priority } = body;
  note({ action: 'start', run: body.id, choice: name });
  const { workflow, file, facts } = await project.startable(name, params);
  const { definition } = compiledOf(workflow);
  bindParams(definition.params, params, `workflow "${definition.name}"`);
  const id = body.id ?? (key === undefined ? undefined : deriveRunId('request', key));
  note({ action: 'start', run: id, choice: name });
  if (body.id === undefined && id !== undefined && (await store.heads({ of: [id] })).length > 0) return reportOf(services, id);
  const origin = { actor: caller.name, ...omitUndefined({ file, tags, priority }) };
  const handle = await engine.start(workflow, params, { origin, ...omitUndefined({ id, facts }) });
  note({ action: 'start', run: handle.id, choice: name });
  return reportOf(services, handle.id);
}

interface DecideRequest {
  readonly run: string;
  readonly body: z.output<typeof decideBody>;
  readonly key: string | undefined;
  readonly note: Note;
}

/**
 * Decides an approval of a run or of a child that it waits for, on exactly the content with the digest. With a key, a
 * decision that the same person already made is not an error: the response to the first request was lost.
 */
async function decide(services: Services, caller: Caller, { run, body, key, note }: DecideRequest): Promise<RunReport> {
  const { engine, store } = services;
  note({ action: 'decide', run, step: body.approval, choice: body.option });
  const { actor } = rightOf(caller, { demand: 'decide', on: 'decide' });
  const { option, digest, approval, input, signature } = body;
  try {
    const asked = await findApproval(store, run, { approval, digest });
    note({ action: 'decide', run: asked.run, step: asked.approval.path, choice: option });
    const decision = {
      option,
      actor,
      digest: asked.approval.digest,
      approval: asked.approval.path,
      ...omitUndefined({ input, signature }),
    };
    await engine
      .run(asked.run)
      .decide(decision as typeof decision & { readonly signature?: Signature })
      .catch(async (error: unknown) => {
        throw (isTooLate(error) ? await tooLate(store, asked) : undefined) ?? error;
      });
  } catch (error) {
    if (key === undefined || !isTooLate(error)) throw error;
    const decided = await decisionOn(store, run, { approval, digest });
    if (decided?.option !== option || decided.actor !== actor || decided.input !== (input ?? null)) throw error;
  }
  return reportOf(services, run);
}

/** Checks the subjects of a run's approvals again; returns the approvals that changed, and how. */
async function recheckApprovals(services: Services, run: string) {
  const { engine, store } = services;
  const before = new Map((await engine.run(run).approvals()).map(({ path, digest }) => [path, digest]));
  await recheckSubjects(services, run);
  const changed = (await engine.run(run).approvals()).flatMap((approval) => {
    const digest = before.get(approval.path);
    return digest === undefined || digest === approval.digest ? [] : [{ approval, digest }];
  });
  return Promise.all(
    changed.map(async ({ approval, digest }) => {
      const { note = '' } = await changeSince(store, run, { approval, digest });
      return { approval: approval.path, digest: approval.digest, what: note };
    }),
  );
}

function isTooLate(error: unknown): boolean {
  return isEngineError(error) && TOO_LATE.has(error.code);
}

/** Answers the questions of an agent, or one of its assumptions. */
async function answer(
  services: Services,
  caller: Caller,
  { run, body, note }: { readonly run: string; readonly body: z.output<typeof answerBody>; readonly note: Note },
): Promise<RunReport> {
  const { engine, store } = services;
  const { actor } = rightOf(caller, { demand: 'decide', on: 'answer' });
  const { answers, step, assumption, answer: text, agree, digest, signature } = body;
  const choice = agree === true ? 'agree' : (text ?? answers?.map((answer) => [answer].flat().join(', ')).join('; '));
  note({ action: 'answer', run, step: assumption ?? step, choice });
  if (digest === undefined)
    throw new EngineError(
      'REQUEST_INVALID',
      '"digest" is missing: send the digest of the questions that you saw; GET /api/v1/inbox has it',
    );
  if (answers === undefined) {
    await engine.run(run).answerAssumption({ actor, digest, ...omitUndefined({ assumption, answer: text, agree }) });
    return reportOf(services, run);
  }
  const asked = selectQuestions(run, await readQuestions(store, run), { step, digest });
  note({ action: 'answer', run: asked.run, step: asked.path, choice });
  if (answers.length !== asked.questions.length)
    throw new EngineError(
      'REQUEST_INVALID',
      `step "${asked.step}" asks ${asked.questions.length} questions; answers given: ${answers.length}`,
    );
  await engine.run(asked.run).answer({ answers, actor, step: asked.path, ...omitUndefined({ signature }) });
  return reportOf(services, run);
}

async function cancel(
  services: Services,
  caller: Caller,
  { run, reason, undo }: { readonly run: string; readonly reason?: string | undefined; readonly undo?: false | undefined },
): Promise<void> {
  const { actor } = await demandSteering(services.store, caller, { run, on: 'cancel' });
  if (undo === false) rightOf(caller, { demand: 'override', on: 'cancel' });
  await services.engine.run(run).cancel({ actor, ...omitUndefined({ reason, undo }) });
}

/** What cancelling would undo; changes nothing. */
async function cancelPlanOf({ engine }: Services, run: string) {
  const { items, stays } = await engine.run(run).planCancel();
  const shown = <Done extends { readonly endedAt: number }>(done: Done) => ({ ...done, endedAt: iso(done.endedAt) });
  return { plan: { run, items: items.map(shown), stays: stays.map(shown) } };
}

/** Continues a run. Every choice after a halt is a decision, and needs the right to override. */
async function resume(
  services: Services,
  caller: Caller,
  { run, parts, note }: { readonly run: string; readonly parts: ChoiceParts; readonly note?: Note },
): Promise<void> {
  const { engine, store } = services;
  const choices = choicesOf(parts, (part) => `"${part}"`);
  const { actor } = rightOf(caller, { demand: choices.length === 0 ? 'steer' : 'override', on: 'resume' });
  const { state } = await store.load(run);
  if (choices.length > 0) note?.(...choices.map((choice) => actOf(run, state.halt?.path, choice)));
  for (const choice of choices.slice(1)) assertUnknown(state, choice);
  if (choices.length === 0) await engine.run(run).resume({ actor });
  for (const choice of choices) await engine.run(run).resume({ actor, choice });
}

/** A resume choice, as text for the audit. */
function actOf(run: string, halted: string | undefined, choice: ResumeChoice): RequestAct {
  const { how } = choice;
  if (how === 'retry') return { action: 'retry', run, step: halted };
  if (how === 'goto') return { action: 'resume', run, step: halted, choice: `go to ${choice.step}` };
  return { action: 'resume', run, step: ('path' in choice ? choice.path : undefined) ?? halted, choice: how };
}

/** Forks a run, or returns what that would do. A fork that starts after a check overrides that check. */
async function fork(
  services: Services,
  caller: Caller,
  { run, body, note }: { readonly run: string; readonly body: z.output<typeof forkBody>; readonly note: Note },
): Promise<RunReport | { readonly plan: ForkTable }> {
  const { engine, project, store } = services;
  const { from, params, outputs, dryRun } = body;
  note({ action: 'fork', run, step: from, ...(dryRun && { choice: DRY_RUN }) });
  const plan = await readForkTable(engine, run, from);
  if (dryRun) return { plan };
  const passes = plan.passed.length > 0 || outputs !== undefined;
  const { actor } = rightOf(caller, { demand: passes ? 'override' : 'steer', on: 'fork' });
  await project.forkable?.(await store.load(run));
  const forked = await engine.run(run).fork({ from, actor, ...omitUndefined({ params, outputs }) });
  note({ action: 'fork', run, step: from, choice: forked.id });
  return reportOf(services, forked.id);
}

/** Cancels or retries many runs, one after the other; a failure does not stop the others. */
async function bulk(
  services: Services,
  caller: Caller,
  { action, ids, reason, note }: z.output<typeof bulkBody> & { readonly note: Note },
) {
  const results = [];
  const acts: RequestAct[] = [];
  for (const run of [...new Set(ids)]) {
    try {
      if (action === 'cancel') await cancel(services, caller, { run, reason });
      else await resume(services, caller, { run, parts: { retry: true } });
      results.push({ id: run, ok: true, status: (await services.store.load(run)).status });
      acts.push({ action, run, choice: reason });
    } catch (error) {
      if (!isEngineError(error)) services.warn(error);
      const { code, detail } = problemOf(error, services.paths);
      results.push({ id: run, ok: false, error: { code, detail } });
      acts.push({ action, run, choice: reason, outcome: code });
    }
  }
  note(...acts);
  return { results };
}

async function assertOpen({ store }: Services, run: string): Promise<void> {
  const { state } = await store.load(run);
  if (isFinal(state.status)) throw new EngineError('RUN_FINAL', `run ${run} has ended (${state.status}); it does not accept signals`);
}

/** Checks that a caller may control a run: their own, or with the right to override one that someone else started. */
async function demandSteering(store: Store, caller: Caller, { run, on }: { readonly run: string; readonly on: string }): Promise<Right> {
  const starter = await starterOf(store, run);
  if (!isOthersRun(caller, starter)) return rightOf(caller, { demand: 'steer', on });
  return rightOf(caller, { demand: 'override', on, about: startedText(starter) });
}
