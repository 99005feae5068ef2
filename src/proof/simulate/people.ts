// Owns the people and programs of a simulation: they start runs, decide, send signals early and twice, pause, cancel, and
// continue runs that have stopped. They use any of the engines, as they would use any process.

import type { CompiledWorkflow } from '../../definition/code.ts';
import { isFinal, isHalted } from '../../definition/run-status.ts';
import { isAsked, openApprovals } from '../../engine/request/approvals.ts';
import { openStepsOf } from '../../engine/request/open-steps.ts';
import { reportWork } from '../../engine/request/reports.ts';
import { controlRun, decideApproval, sendSignal } from '../../engine/request/requests.ts';
import { type ResumeChoice, resumeRun } from '../../engine/request/resume.ts';
import { type Activation, waitOf } from '../../kernel/activation.ts';
import type { Engines, SimulatedEngine } from './engines.ts';
import type { ObservedRun, Observer } from './observer.ts';
import type { Random } from './random.ts';
import { SIGNAL_NAMES } from './workflow.ts';

interface OutsideParts {
  readonly random: Random;
  readonly observer: Observer;
  readonly engines: Engines;
  readonly workflow: CompiledWorkflow;
  /** The runs to start, by id. */
  readonly wanted: readonly string[];
}

/** Waits that a person or program can end. */
const ANSWERED: ReadonlySet<string | undefined> = new Set(['human', 'signal', 'report']);
const HELPS_MAX = 10;

/** The people and programs outside the engines. */
export class People {
  private readonly parts: OutsideParts;
  /** Whether people only do what a run needs to end. */
  onlyHelps = false;
  private signalsSent = 0;
  private decisionsMade = 0;
  private readonly helped = new Map<string, number>();

  constructor(parts: OutsideParts) {
    this.parts = parts;
  }

  /** Does something that no run waits for, at any moment. */
  actAtRandom(): void {
    const { random, observer, wanted } = this.parts;
    const missing = wanted.filter((run) => !observer.runs.has(run));
    if (missing.length > 0 && random.chance(0.5)) return this.start(random.pick(missing));
    const run = random.pick([...observer.runs.values()]);
    if (run === undefined) return;
    const action = random.weighted({
      help: 6,
      signal: 3,
      pause: 1,
      unpause: 1,
      cancel: run.state.parent === undefined ? 0.4 : 0.1,
      resume: 1,
    });
    if (action === 'help') return void this.help(run);
    if (action === 'signal') return this.signal(run, random.pick(SIGNAL_NAMES));
    if (action === 'resume') return this.ask((engine) => resumeRun(engine.core, run.id, { actor: 'ann' }));
    this.control(run, action);
  }

  /** Starts a run that does not exist yet. Returns false if all exist. */
  startWanted(): boolean {
    const missing = this.parts.wanted.find((run) => !this.parts.observer.runs.has(run));
    if (missing !== undefined) this.start(missing);
    return missing !== undefined;
  }

  private start(run: string): void {
    this.ask((engine) => engine.core.start(this.parts.workflow, {}, { id: run }));
  }

  /** Gives a run what it waits for from outside. Returns false if it waits for nothing from outside. */
  help(run: ObservedRun): boolean {
    const { random } = this.parts;
    const { state } = run;
    if (isFinal(state.status)) return false;
    const times = (this.helped.get(run.id) ?? 0) + 1;
    const needs = Object.values(state.live).filter(
      (activation) => activation.state === 'unknown' || ANSWERED.has(waitOf(activation)?.kind),
    );
    if (needs.length === 0 && !isHalted(state.status) && !state.paused) return false;
    // Work that is handed out blocks nothing: the calling agent does it.
    if (needs.some((activation) => waitOf(activation)?.kind === 'report')) {
      this.report(run.id);
      return true;
    }
    this.helped.set(run.id, times);
    this.parts.observer.count('interventions');
    if (times > HELPS_MAX) this.control(run, 'cancel');
    else if (isHalted(state.status) && (needs.length === 0 || random.chance(0.5))) this.resume(run);
    else if (state.paused && (needs.length === 0 || random.chance(0.5))) this.control(run, 'unpause');
    else this.answer(run, random.pick(needs));
    return true;
  }

  private answer(run: ObservedRun, activation: Activation): void {
    const { random } = this.parts;
    const { path } = activation;
    const wait = waitOf(activation);
    if (wait?.kind === 'signal') return this.signal(run, wait.name);
    if (wait?.kind !== 'human') {
      const how = random.pick(['rerun', 'done', 'failed'] as const);
      return this.ask((engine) => resumeRun(engine.core, run.id, { actor: 'ann', choice: { how, path } }));
    }
    this.decide(run.id, path);
    if (random.chance(0.3)) this.decide(run.id, path);
  }

  private decide(run: string, path: string): void {
    const { random, observer } = this.parts;
    this.decisionsMade += 1;
    const actor = `person ${this.decisionsMade}`;
    const share = random.next();
    const isStale = !this.onlyHelps && random.chance(0.1);
    this.ask(async ({ core }) => {
      const approval = (await openApprovals(core, run)).find((open) => open.path === path);
      if (approval === undefined) return;
      const { options } = approval.question;
      const option = options[Math.floor(share * options.length)]?.label as string;
      const digest = isStale || !isAsked(approval) ? 'what was shown before' : approval.digest;
      await decideApproval(core, run, { option, actor, approval: path, digest, input: 'because' });
      observer.acknowledged.push({ run, actor });
    });
  }

  /** The calling agent does some of the work that was handed out, and may report it twice. */
  private report(run: string): void {
    const { random } = this.parts;
    const twice = random.chance(0.2);
    const share = random.next();
    this.ask(async ({ core }) => {
      const openSteps = await openStepsOf(core, run);
      const openStep = openSteps[Math.floor(share * openSteps.length)];
      if (openStep === undefined) return;
      const report = { token: openStep.token, result: { did: openStep.path } };
      await Promise.all([reportWork(core, run, report), ...(twice ? [reportWork(core, run, report)] : [])]);
    });
  }

  private signal({ id: run }: ObservedRun, name: string): void {
    this.signalsSent += 1;
    const number = this.signalsSent;
    const send = () => this.ask(({ core }) => sendSignal(core, run, { name, payload: { number }, id: String(number) }));
    send();
    if (this.parts.random.chance(0.3)) send();
  }

  private control({ id: run }: ObservedRun, action: 'pause' | 'unpause' | 'cancel'): void {
    this.ask(({ core }) => controlRun(core, run, { actor: 'ann', action: { do: action } }));
  }

  private resume(run: ObservedRun): void {
    const { random, workflow } = this.parts;
    const { id, state } = run;
    const steps = (state.workflow === workflow.definition.name ? workflow : workflow.children.get(state.workflow))?.definition.steps ?? [];
    const goto = steps.length === 0 ? 0 : 1;
    const exhausted = state.halt?.reason === 'exhausted';
    const how = random.weighted({ retry: 4, accept: exhausted ? 0 : 2, goto, cancel: 1 });
    if (how === 'cancel') return this.control(run, 'cancel');
    const choices: Record<typeof how, () => ResumeChoice> = {
      retry: () => ({ how: 'retry', ...(exhausted ? { extend: 1 } : { note: 'again' }) }),
      accept: () => ({ how: 'accept', output: { v: -1, n: 9 } }),
      goto: () => ({ how: 'goto', step: random.pick(steps).id }),
    };
    const choice = choices[how]();
    this.ask((engine) => resumeRun(engine.core, id, { actor: 'ann', choice }));
  }

  /** Continues a run whose owner is alive, but gave up after its disk failed. */
  driveOn(run: ObservedRun, owner: SimulatedEngine): void {
    owner.core.drive(run.id).catch((error: unknown) => this.parts.engines.checkError(owner.me, error));
  }

  // A request to a dead engine gets no answer; one to a live engine may get an error.
  private ask(request: (engine: SimulatedEngine) => Promise<unknown>): void {
    const { engines, random } = this.parts;
    if (engines.live.length === 0) return;
    const engine = random.pick(engines.live);
    request(engine).catch((error: unknown) => engines.checkError(`a person at ${engine.me}`, error));
  }
}
