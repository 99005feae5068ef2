// Verifies a run's log when the run is loaded to be driven or checked: every decision that requires a
// signature has one for exactly that run, question, content, answer and person; nothing that requires one happened
// without it; and replaying the log gives the run's checkpoint.
//
// - A log that fails verification is damaged: the run is not driven, and the error names the record.

import type { KeyList } from '../../authority/enrolment.ts';
import type { Statement } from '../../authority/statement.ts';
import { verifySignature } from '../../authority/verification.ts';
import { EngineError } from '../../base/error.ts';
import { canonicalJson, type Json } from '../../base/json.ts';
import { JUMPS } from '../../definition/count-key.ts';
import { hashDefinition } from '../../definition/hash.ts';
import type { ApprovalModel, Definition } from '../../definition/model.ts';
import { isBefore } from '../../definition/validation/rework.ts';
import type { Activation, Path } from '../../kernel/activation.ts';
import { heldBy, humanWaitOf, waitOf } from '../../kernel/activation.ts';
import { apply, createRun, type Draft, draftOf } from '../../kernel/apply.ts';
import type { ChangeOf, EventOf, RunEvent, SignedRecord } from '../../kernel/event.ts';
import type { ControlAction } from '../../kernel/input.ts';
import type { RunState } from '../../kernel/run-state.ts';
import type { EventRow, Store } from '../../store/store.ts';
import { activationIn } from '../event-facts.ts';
import { approvalModel } from '../request/approvals.ts';
import { decisionStatement, hasSignedQuestion, isOverride, overrideStatement, type Proof, startStatement } from './signatures.ts';

/** A run as it was loaded. */
interface LoadedRun {
  readonly state: RunState;
  readonly definition: Definition;
}

/** Verifies the log of a run and returns its proof, with which its driver verifies later signatures. Throws RUN_DAMAGED if it fails. */
export async function proveRun(store: Store, { state, definition }: LoadedRun, list: () => KeyList): Promise<Proof> {
  const [first] = isWanted({ state, definition }, list) ? await store.events(state.id, 0, 1) : [];
  const started = first?.events[0];
  if (started?.type !== 'run.started') return { keys: undefined, used: new Set() };
  const { keys } = started;
  const demands = state.signed === true || started.run.signed === true || hasSignedQuestion(definition.steps);
  if (!demands && keys === undefined) return { keys, used: new Set() };
  const rows = (await store.events(state.id, 0)).filter(({ seq }) => seq <= state.seq);
  const questions = await askedApprovals(store, rows);
  if (hashDefinition(definition) !== started.run.def)
    throw damaged(state.id, 1, 'the stored definition is not the one it was started with');
  const walk = new Walk({ run: state.id, definition, list: list(), keys: keys ?? [], questions });
  walk.all(rows);
  if (plain(walk.draft) !== plain(state)) throw damaged(state.id, state.seq, 'replaying its log does not give its stored state');
  return { keys: keys ?? [], used: walk.used };
}

/** Whether the start of a log must be read: only if signatures are in use at all. */
function isWanted({ state, definition }: LoadedRun, list: () => KeyList): boolean {
  return state.signed === true || hasSignedQuestion(definition.steps) || list().all.length > 0;
}

/** Returns questions that are not in the stored definition, by the digest of their value. */
async function askedApprovals(store: Store, rows: readonly EventRow[]): Promise<ReadonlyMap<string, ApprovalModel>> {
  const digests = rows.flatMap(({ events }) => events.flatMap((event) => humanWaitOf(activationIn(event))?.question?.digest ?? []));
  const texts = await store.values([...new Set(digests)]);
  return new Map([...texts].map(([digest, text]) => [digest, JSON.parse(text) as ApprovalModel]));
}

function plain(state: RunState): string {
  return canonicalJson(JSON.parse(JSON.stringify(state)) as Json);
}

function damaged(run: string, seq: number, fault: string): EngineError {
  return new EngineError(
    'RUN_DAMAGED',
    `run ${run} was changed by something other than Pawl and cannot be driven: record ${seq} of its log: ${fault}; restore a backup, or start a new run`,
    { details: { run, seq } },
  );
}

interface WalkParts {
  readonly run: string;
  readonly definition: Definition;
  readonly list: KeyList;
  readonly keys: readonly string[];
  readonly questions: ReadonlyMap<string, ApprovalModel>;
}

/** One pass over a log, from its first event to its last. */
class Walk {
  readonly used = new Set<string>();
  draft!: Draft;
  private readonly parts: WalkParts;
  private seq = 0;
  /** The starting step, until it has opened. */
  private begins: string | undefined;
  /** The votes at each open question. */
  private readonly chosen = new Map<Path, Map<string, string>>();
  /** Questions of agents that were answered with a signature. */
  private readonly answered = new Set<string>();
  /** Where the answer that settled a question leads. */
  private readonly leads = new Map<Path, string>();
  /** The actions that people signed in the current record. */
  private controls: ControlAction[] = [];
  /** The steps that were live when the run began to react to an event. */
  private reacting: readonly string[] | undefined;

  constructor(parts: WalkParts) {
    this.parts = parts;
  }

  all(rows: readonly EventRow[]): void {
    for (const { seq, events } of rows) {
      this.seq = seq;
      this.controls = [];
      this.reacting = undefined;
      for (const event of events) this.next(event);
      this.draft.seq += 1;
    }
  }

  private next(event: RunEvent): void {
    if (event.type === 'run.started') {
      this.draft = draftOf(createRun(event));
      return this.checkStart(event);
    }
    this.checkEvent(event);
    apply(this.draft, event);
  }

  private checkEvent(event: RunEvent): void {
    switch (event.type) {
      case 'run.changed':
        return this.checkRunChange(event);
      case 'step.changed':
        return this.checkStepChange(event);
      case 'step.settled':
        return this.checkStepEnd(event);
      case 'step.opened':
        return this.checkOpening(event);
      case 'edge.taken':
        return this.checkEdge(event);
      default:
        return undefined;
    }
  }

  private checkStart(event: EventOf<'run.started'>): void {
    const { signed, at } = event;
    this.begins = signed?.from ?? this.parts.definition.entry;
    if (this.draft.signed !== true) return;
    if (signed === undefined) {
      if (event.fork !== undefined || event.supplied !== undefined) this.fail('starting with supplied results is not signed');
      return;
    }
    const { signature } = signed;
    const verified = verifySignature(this.parts.list, { statement: startStatement(event, signed), signature, keys: this.parts.keys, at });
    if (!verified.isValid) this.fail(`the signature of ${signed.actor} for its start is not valid: ${verified.why}`);
    this.used.add(signature.value);
  }

  /** Fails unless the first step of a graph is its entry, the step that was signed for, or a question. */
  private checkOpening({ activation }: EventOf<'step.opened'>): void {
    const begins = this.begins;
    this.begins = undefined;
    if (begins === undefined || this.draft.form === 'flow' || this.draft.signed !== true || activation.kind === 'human') return;
    if (activation.step !== begins) this.fail(`it started at "${activation.step}" instead of "${begins}"`);
  }

  /** Whether a forge event sends the run back to a step. That skips nothing, so it needs no signature. */
  private goesBackTo(step: string): boolean {
    const { reacting = [] } = this;
    return reacting.length > 0 && reacting.every((at) => isBefore(this.parts.definition, step, at));
  }

  private checkRunChange(event: EventOf<'run.changed'>): void {
    switch (event.change) {
      case 'reacted':
        this.reacting = Object.values(this.draft.live).flatMap(({ step, side, member }) => (side === true || member ? [] : [step]));
        return undefined;
      case 'decided':
        return this.checkDecision(event);
      case 'signed':
        return this.takeSigned(event.signed, event);
      case 'assumption-answered':
        return this.demandControl(
          `the answer to ${event.assumption}`,
          (action) => action.do === 'answer' && action.assumption === event.assumption && action.agrees === event.answer.agrees,
        );
      case 'budget-granted':
        return this.demandControl('a larger budget', (action) => action.do === 'grant');
      case 'bound-extended':
        return this.demandControl('more iterations', (action) => action.do === 'retry');
      case 'code-accepted':
        return this.demandControl('changed code', (action) => action.do === 'acceptCode' && action.code === event.code);
      default:
        return undefined;
    }
  }

  private demandControl(subject: string, isIt: (action: ControlAction) => boolean): void {
    if (this.draft.signed === true) this.wants(subject, isIt);
  }

  private checkDecision(event: EventOf<'run.changed'> & ChangeOf<'decided'>): void {
    const { decision, signed } = event;
    if (signed !== undefined) {
      this.takeSigned(signed, event);
      return this.takeDecision(signed, event);
    }
    const asked = Object.values(this.draft.live).filter(
      (activation) => activation.step === decision.step && humanWaitOf(activation) !== undefined,
    );
    if (asked.some((activation) => this.demands(activation)))
      this.fail(`the decision "${decision.option}" of ${decision.actor} at "${decision.step}" is not signed`);
  }

  private takeSigned(signed: SignedRecord, event: EventOf<'run.changed'>): void {
    const { signature } = signed;
    const { actor } = event;
    if (actor === undefined) return this.fail('a signed change has no actor');
    const statement = this.statementOf(signed, { ...event, actor });
    const verified = verifySignature(this.parts.list, { statement, signature, keys: this.parts.keys, at: event.at });
    const place = signed.on === 'control' ? `for "${signed.action.do}"` : `at ${signed.path}`;
    if (!verified.isValid) this.fail(`the signature of ${actor} ${place} is not valid: ${verified.why}`);
    if (this.used.has(signature.value)) this.fail(`the signature of ${actor} ${place} was used before`);
    this.used.add(signature.value);
    if (signed.on === 'control') this.controls.push(signed.action);
    if (signed.on === 'answer') this.answered.add(`${signed.path}/${signed.attempt}`);
  }

  private statementOf(signed: SignedRecord, event: EventOf<'run.changed'> & { readonly actor: string }): Statement {
    const { run } = this.parts;
    const { actor } = event;
    if (signed.on === 'control') return overrideStatement(run, signed.action, actor);
    const { path } = signed;
    if (signed.on === 'answer') return { about: 'answer', run, path, attempt: signed.attempt, answers: signed.answers.digest, actor };
    if (event.change !== 'decided') return this.fail(`the signature at ${path} is not for a decision`);
    const { option, input } = event.decision;
    return decisionStatement({ run, path, digest: signed.digest, option, input, actor });
  }

  private takeDecision(
    { path, digest }: Extract<SignedRecord, { on: 'decision' }>,
    { decision, actor }: EventOf<'run.changed'> & ChangeOf<'decided'>,
  ): void {
    const asked = this.draft.live[path];
    const wait = humanWaitOf(asked);
    if (wait === undefined || wait.digest !== digest || asked?.step !== decision.step || decision.actor !== actor)
      this.fail(`the decision of ${decision.actor} at ${path} does not match what was asked there`);
    const chosen = this.chosen.get(path) ?? new Map<string, string>();
    this.chosen.set(path, chosen.set(decision.actor, decision.option));
  }

  private checkStepChange({ activation: after, failed }: EventOf<'step.changed'>): void {
    const { path } = after;
    const activation = this.draft.live[path];
    const wait = waitOf(activation);
    const next = waitOf(after);
    if (activation === undefined || wait === undefined) return;
    if (wait.kind === 'human' && next?.kind === 'human' ? wait.digest === next.digest : wait.kind === next?.kind) return;
    if (wait.kind === 'human' && next?.kind !== 'human' && failed === undefined)
      this.wantsDecision(activation, heldBy(after)?.outcome ?? 'ok');
    if (wait.kind === 'answer' && failed === undefined && this.draft.signed === true && !this.answered.has(`${path}/${activation.attempt}`))
      this.fail(`the answer to the questions of ${path} is not signed`);
    this.chosen.delete(path);
  }

  private checkStepEnd(event: EventOf<'step.settled'>): void {
    const { path, outcome, at } = event;
    const activation = this.draft.live[path];
    if (activation === undefined) return;
    const isOut = outcome === 'timeout' && activation.deadline !== undefined && activation.deadline <= at;
    const isNone = outcome === 'cancelled' || outcome === 'error' || isOut;
    if (humanWaitOf(activation) !== undefined && !isNone) this.wantsDecision(activation, outcome);
    const wasPassed = activation.state === 'queued' || activation.state === 'unknown';
    if (wasPassed && this.draft.signed === true && !isNone && outcome !== 'skip')
      this.wants(
        `accepting "${activation.step}" as done`,
        (action) => action.do === 'accept' || (action.do === 'resolve' && action.path === path),
      );
    this.chosen.delete(path);
  }

  private checkEdge({ from, to, key }: Extract<RunEvent, { type: 'edge.taken' }>): void {
    if (key === JUMPS && this.draft.signed === true && !this.goesBackTo(to))
      this.wants(
        `continuing at "${to}"`,
        (action) =>
          (action.do === 'goto' && action.step === to) || ((action.do === 'answer' || action.do === 'again') && action.place?.step === to),
      );
    if (from === undefined) return;
    const led = this.leads.get(from);
    this.leads.delete(from);
    if (led !== undefined && led !== to) this.fail(`the answer at ${from} leads to "${led}", but the run went to "${to}"`);
  }

  /** Fails if a question that requires signatures ended without enough signed votes for the answer that ended it. */
  private wantsDecision(activation: Activation, outcome: string): void {
    if (!this.demands(activation)) return;
    const { path } = activation;
    const question = this.questionOf(activation);
    const chosen = [...(this.chosen.get(path)?.values() ?? [])];
    const option = question?.options.find((candidate) => {
      const people = chosen.filter((label) => label === candidate.label).length;
      return candidate.outcome === outcome && people >= (outcome === 'ok' ? (question.count ?? 1) : 1);
    });
    if (option === undefined)
      this.fail(
        `the question at ${path} (${humanWaitOf(activation)?.digest?.slice(0, 12) ?? 'not asked yet'}) ended "${outcome}" without the signed decisions it requires`,
      );
    else if (option.to !== undefined && 'step' in option.to) this.leads.set(path, option.to.step);
  }

  private demands(activation: Activation): boolean {
    return this.draft.signed === true || humanWaitOf(activation)?.signed === true || this.questionOf(activation)?.signed === true;
  }

  private questionOf(activation: Activation): ApprovalModel | undefined {
    const asked = humanWaitOf(activation)?.question;
    return (
      (asked === undefined ? undefined : this.parts.questions.get(asked.digest)) ?? approvalModel(this.parts.definition, activation.step)
    );
  }

  /** Fails if something that requires a signature was not signed in the same record. */
  private wants(subject: string, isIt: (action: ControlAction) => boolean): void {
    if (!this.controls.some((action) => isOverride(action) && isIt(action))) this.fail(`${subject} is not signed`);
  }

  private fail(fault: string): never {
    throw damaged(this.parts.run, this.seq, fault);
  }
}
