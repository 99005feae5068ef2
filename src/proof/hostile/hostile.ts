// Finds out which steps of a workflow an agent can skip without being noticed. It attacks one agent step at a time with
// agents that do not do the work, while honest agents do the other steps.
//
// A step is *enforced* if the run does not complete although its agent claims, like an honest one, that everything is
// done: a check of the engine rejected the claim. Otherwise it is *advised*: only the agent says that it was done.
// People are assumed to approve everything, so a step that only a person checks is "advised".
//
// A *false completion* is a run that completed although the agent of an enforced step did not do its work. A *breach* is
// an attack with a token that was accepted, or hostile text that was run as a command.

import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Script } from '../../agents/scripted.ts';
import type { AnyWorkflow } from '../../api/engine-options.ts';
import type { RunHandle } from '../../api/run.ts';
import { isJsonObject, type Json } from '../../base/json.ts';
import { shortLine } from '../../base/short-text.ts';
import type { CompiledWorkflow } from '../../definition/code.ts';
import { membersOf } from '../../definition/model.ts';
import type { RunView, StepView } from '../../engine/inspect.ts';
import type { OpenStep } from '../../engine/request/open-steps.ts';
import { removeFolder } from '../../process/remove-folder.ts';
import { type CompletionClaim, HOSTILE_CANARY, type HostileAgent, type HostileName, type HostileTarget, hostileAgents } from './agents.ts';
import { type Attack, BARE_CLAIM, claimWithoutTexts, commandOf, createAttack } from './attack.ts';
import { driveRun, type FixtureOptions, type HostileFixture, openFixture, passTime } from './fixture.ts';
import { reported, type TokenAttackContext } from './token-attacks.ts';

/** The options of an attack on a workflow. */
export interface HostileOptions extends FixtureOptions {
  /** Does the work of every role that is not under attack; without it, they claim that it is done. */
  readonly honest?: Script;
  /** The hostile agents. Default: all. `claims` is always included. */
  readonly agents?: readonly HostileName[];
  /** Opens a custom fixture with the workers of the attack, instead of a temporary folder. */
  readonly open?: (attack: Attack) => Promise<HostileFixture>;
}

/** The result of attacking one step. */
export interface HostileStep {
  readonly step: string;
  readonly enforced: boolean;
  /** The check that rejected the bare claim, or a statement that none did. */
  readonly why: string;
}

/** A run that completed although the agent of an enforced step did not do its work. */
export interface FalseCompletion {
  readonly agent: HostileName;
  readonly step: string;
  readonly how: 'driven' | 'attended';
}

/** The result of attacking a workflow. */
export interface HostileResult {
  readonly workflow: string;
  readonly steps: readonly HostileStep[];
  readonly falseCompletions: readonly FalseCompletion[];
  readonly breaches: readonly string[];
  /** How many runs there were. */
  readonly runs: number;
  /** The report as text. */
  report(): string;
}

const CLAIMS_ALL: Script = () => BARE_CLAIM;
const FAILED: ReadonlySet<string> = new Set(['fail', 'error', 'timeout', 'reject']);

/** A workflow, or a function that creates it for the folder in which its agents work. */
export type HostileSubject = AnyWorkflow | ((cwd: string) => AnyWorkflow);

/** Attacks every step of a workflow that an agent does. */
export async function runHostile(workflow: HostileSubject, options: HostileOptions = {}): Promise<HostileResult> {
  const test = new HostileTest(workflow, options);
  await test.run();
  return test.result();
}

interface AttackTarget {
  readonly agent?: HostileName;
  readonly step?: string;
  readonly isAttended?: boolean;
}

class HostileTest {
  private readonly subject: HostileSubject;
  private workflow: CompiledWorkflow;
  private readonly options: HostileOptions;
  private readonly claims = new Map<string, CompletionClaim>();
  private readonly registered = new Set<string>();
  private readonly steps: HostileStep[] = [];
  private readonly falseCompletions: FalseCompletion[] = [];
  private readonly breaches: string[] = [];
  /** Steps that were handed to an attended agent in any run. */
  private readonly handedOut = new Set<string>();
  private runs = 0;

  constructor(subject: HostileSubject, options: HostileOptions) {
    this.subject = subject;
    this.workflow = workflowFor(subject, '.');
    this.options = options;
  }

  async run(): Promise<void> {
    const honest = await this.runAttack({});
    if (honest.status !== 'completed') throw new Error(this.notHonest(honest));
    this.noteCommands(honest);
    for (const step of this.agentSteps(honest)) {
      const view = await this.runAttack({ agent: 'claims', step });
      const enforced = view.status !== 'completed';
      this.steps.push({ step, enforced, why: enforced ? rejectionIn(view, honest) : 'the run completed on the bare claim of its agent' });
    }
    for (const { step, enforced } of this.steps) await this.attack(step, enforced);
    if (this.steps.length > 0) await this.attackAttended();
  }

  result(): HostileResult {
    const { steps, falseCompletions, breaches, runs } = this;
    const found = { workflow: this.workflow.definition.name, steps, falseCompletions, breaches, runs };
    return { ...found, report: () => formatHostileReport(found) };
  }

  private agents(): HostileName[] {
    return this.options.agents === undefined ? (Object.keys(hostileAgents) as HostileName[]) : [...this.options.agents];
  }

  /** Any agent can skip an advised step, so only the texts of hostile agents are tried there. */
  private async attack(step: string, enforced: boolean): Promise<void> {
    const isCommand = commandOf(this.workflow.definition.steps, step) !== undefined;
    for (const agent of this.agents()) {
      const { tokenAttack: trick, program } = hostileAgents[agent];
      if (agent === 'claims' || trick !== undefined || (isCommand && program === undefined)) continue;
      if (!enforced && agent !== 'injects') continue;
      const view = await this.runAttack({ agent, step });
      if (enforced && view.status === 'completed') this.falseCompletions.push({ agent, step, how: 'driven' });
    }
  }

  private async attackAttended(): Promise<void> {
    for (const agent of this.agents()) {
      const view = await this.runAttack({ agent, isAttended: true });
      // Agents that are objects or programs cannot be attended.
      if (this.handedOut.size === 0) return;
      const skipped = this.steps.find(({ step, enforced }) => enforced && this.handedOut.has(step) && lastOutcome(view, step) === 'ok');
      if (view.status === 'completed' && skipped !== undefined) this.falseCompletions.push({ agent, step: skipped.step, how: 'attended' });
    }
  }

  private async runAttack(target: AttackTarget): Promise<RunView> {
    this.runs += 1;
    const ended = new AbortController();
    const stuck = Promise.withResolvers<void>();
    const cwd = mkdtempSync(join(tmpdir(), 'pawl-hostile-'));
    let fixture: HostileFixture | undefined;
    const onHang = (): void => {
      if (fixture !== undefined) passTime(fixture).then((passed) => passed || stuck.resolve(), stuck.reject);
    };
    try {
      this.workflow = workflowFor(this.subject, cwd);
      const { honest = CLAIMS_ALL, open = (attack: Attack) => openFixture(attack, this.options) } = this.options;
      const plan = {
        honest,
        claims: this.claims,
        registered: this.registered,
        cwd,
        workspace: () => fixture?.cwd ?? cwd,
        ended: ended.signal,
        onHang,
      };
      fixture = await open(createAttack(this.workflow, { ...plan, ...target }));
      return await this.watched(fixture, { ...target, ended: ended.signal }, stuck.promise);
    } finally {
      ended.abort();
      await fixture?.close();
      await removeFolder(cwd);
    }
  }

  private async watched(
    fixture: HostileFixture,
    target: AttackTarget & Pick<HostileTarget, 'ended'>,
    stuck: Promise<void>,
  ): Promise<RunView> {
    const { agent, step, isAttended } = target;
    const where = isAttended === true ? '(attended)' : `at step "${step}"`;
    const run = await fixture.start();
    const view = isAttended === true ? await this.play(fixture, run, target) : await driveRun(fixture, run, stuck);
    if (existsSync(join(fixture.cwd, HOSTILE_CANARY))) this.breaches.push(`text of the agent "${agent}" ${where} was run as a command`);
    return view;
  }

  private async play(
    fixture: HostileFixture,
    run: RunHandle,
    { agent = 'claims', ended }: AttackTarget & Pick<HostileTarget, 'ended'>,
  ): Promise<RunView> {
    const { definition } = this.workflow;
    const targetAt = (step: string): HostileTarget => {
      this.handedOut.add(step);
      return { definition, step, claim: claimWithoutTexts(definition.steps, step, this.claims), ended, onHang: () => undefined };
    };
    const { view, breaches } = await runAttended(fixture, run, { agent: hostileAgents[agent], targetAt });
    this.breaches.push(...breaches);
    return view;
  }

  /** The steps that agents or registered commands did in the honest run, in the order of the definition; a flow has none. */
  private agentSteps({ steps }: RunView): string[] {
    const { definition } = this.workflow;
    const isAgents = ({ kind, step }: StepView): boolean =>
      kind === 'agent' || kind === 'generate' || this.registered.has(commandOf(definition.steps, step) ?? '');
    const order = definition.steps.flatMap((step) => [step.id, ...membersOf(step).map(({ id }) => `${step.id}/${id}`)]);
    const done = new Set(steps.filter((row) => row.outcome !== 'skip' && isAgents(row)).map(({ step }) => step));
    return [...done].sort((one, other) => order.indexOf(one) - order.indexOf(other));
  }

  // What a command reports is known from the run itself.
  private noteCommands({ steps }: RunView): void {
    for (const { kind, step, output } of steps)
      if (kind === 'command' && output !== undefined) this.claims.set(step, { ...BARE_CLAIM, output });
  }

  private notHonest({ status, error, waits }: RunView): string {
    const { name } = this.workflow.definition;
    const why = error ?? waits.map(({ kind }) => `it waits for ${kind}`).join(', ');
    return `workflow "${name}" does not complete with honest agents: it is ${status} (${why}); give \`honest\`, or a fixture with \`open\``;
  }
}

function workflowFor(subject: HostileSubject, cwd: string): CompiledWorkflow {
  const workflow = typeof subject === 'function' ? subject(cwd) : subject;
  return 'compiled' in workflow ? workflow.compiled : workflow;
}

function lastOutcome({ steps }: RunView, step: string): string | undefined {
  return steps.findLast((row) => row.step === step)?.outcome;
}

/** The first check that rejected the claim and that the honest run had passed. */
function rejectionIn(view: RunView, honest: RunView): string {
  const met = new Set(honest.steps.filter(isRejection).map(({ path, attempt }) => `${path}/${attempt}`));
  const first = view.steps.find((row) => isRejection(row) && !met.has(`${row.path}/${row.attempt}`));
  if (first !== undefined) return `${first.step}: ${first.error ?? reasonIn(first.output) ?? String(first.outcome)}`;
  return view.error ?? `the run is ${view.status}`;
}

function isRejection({ outcome, error }: StepView): boolean {
  return error !== undefined || (outcome !== undefined && FAILED.has(outcome));
}

function reasonIn(output: Json | undefined): string | undefined {
  if (output === undefined || !isJsonObject(output)) return undefined;
  const { failed_checks: failed, error } = output as { readonly [name: string]: Json | undefined };
  return Array.isArray(failed) && failed.length > 0 ? failed.join('; ') : typeof error === 'string' ? error : undefined;
}

const WHY_MAX = 160;

/** The outcome as text: a line per step, and the counts that must be zero. */
function formatHostileReport({ workflow, steps, falseCompletions, breaches, runs }: Omit<HostileResult, 'report'>): string {
  const width = Math.max(0, ...steps.map(({ step }) => step.length));
  const enforced = steps.filter((step) => step.enforced).length;
  const lines = steps.map(
    ({ step, enforced: is, why }) => `  ${is ? 'enforced' : 'advised '}  ${step.padEnd(width)}  ${shortLine(why, WHY_MAX)}`,
  );
  const head = steps.length === 0 ? 'no step is done by an agent' : `${enforced} of ${steps.length} steps of agents enforced`;
  return [
    `${workflow}: ${head}`,
    ...lines,
    `  ${runs} runs, false completions: ${falseCompletions.length}, breaches: ${breaches.length}`,
    ...falseCompletions.map(({ agent, step, how }) => `  FALSE COMPLETION: "${agent}" (${how}) got away with step "${step}"`),
    ...breaches.map((breach) => `  BREACH: ${breach}`),
  ].join('\n');
}

const ROUNDS_MAX = 60;
const NEVER = new Promise<void>(() => {});

interface Player {
  readonly agent: HostileAgent;
  readonly targetAt: (step: string) => HostileTarget;
}

/**
 * Drives a run of an attended agent until it cannot continue: the agent accepts every open step, attacks with its tokens, does something
 * else instead of the work, and reports what an honest agent would report.
 */
async function runAttended(
  fixture: HostileFixture,
  handle: RunHandle,
  { agent, targetAt }: Player,
): Promise<{ readonly view: RunView; readonly breaches: readonly string[] }> {
  const earlier: OpenStep[] = [];
  const breaches: string[] = [];
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    await driveRun(fixture, handle, NEVER);
    const [openStep] = await handle.openSteps();
    if (openStep === undefined) break;
    const reply = await agent.act(targetAt(openStep.step), fixture.cwd);
    if (reply === 'hangs') break;
    const result = reply === 'crashes' ? { success: false } : reply.output;
    const context: TokenAttackContext = { run: handle, step: openStep, result, earlier: [...earlier] };
    breaches.push(...((await agent.tokenAttack?.(context)) ?? []));
    await reported(context, openStep.token, result);
    earlier.push(openStep);
    if ((await handle.openSteps()).some(({ token }) => token === openStep.token)) break;
  }
  return { view: await handle.wait('idle'), breaches };
}
