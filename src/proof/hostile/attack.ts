// Owns an attack on one step of a workflow: a hostile agent does that step, honest agents do all others. The replies of
// the honest agents are recorded, so that the hostile one can copy them. Roles, live agents and registered commands are
// all replaced.

import type { AgentDriver, AgentRequest } from '../../agents/driver.ts';
import { createScriptedDriver, type Script } from '../../agents/scripted.ts';
import { isJsonObject, type Json, type JsonObject, toPlain } from '../../base/json.ts';
import { modelNamed, parsePath, splitName } from '../../definition/address.ts';
import type { CompiledWorkflow, StepCode, StepContext } from '../../definition/code.ts';
import { membersOf, type StepModel } from '../../definition/model.ts';
import { isFileOutput } from '../../definition/output-pattern.ts';
import { type FlowStep, type FlowYield, markUsed } from '../../programs/flow-step.ts';
import { ATTENDED } from '../../steps/run-records.ts';
import type { RoleSetting } from '../../steps/services.ts';
import { type CompletionClaim, HOSTILE_TEXT, type HostileName, type HostileTarget, hostileAgents, hostileScript } from './agents.ts';

/** The workflow and its workers in one run, for a fixture. */
export interface Attack {
  /** A separate folder for this run, removed afterwards. */
  readonly cwd: string;
  readonly workflow: CompiledWorkflow;
  /** Every role of the workflow; none where the agents are attended. */
  readonly roles: Readonly<Record<string, RoleSetting>>;
  readonly drivers: Readonly<Record<string, AgentDriver>>;
  /** Facts that the run must start with, in addition to those of the fixture. */
  readonly facts: JsonObject;
  /** Hostile text for fields that outsiders write, such as the title of an issue; undefined for harmless text. */
  readonly text: string | undefined;
  /** The registered commands, with the one under attack replaced. */
  commands(real: Readonly<Record<string, readonly string[]>>): Readonly<Record<string, readonly string[]>>;
}

interface AttackPlan {
  readonly agent?: HostileName;
  /** As in the record of a run: `step`, or `group/member`. */
  readonly step?: string;
  readonly isAttended?: boolean;
  readonly honest: Script;
  /** The answers of honest agents, by step; the honest run fills it in. */
  readonly claims: Map<string, CompletionClaim>;
  /** The names of registered commands, which represent agents; the fixture returns them. */
  readonly registered: Set<string>;
  readonly cwd: string;
  /** Where the run works, once its fixture is open. */
  readonly workspace: () => string;
  readonly ended: AbortSignal;
  readonly onHang: () => void;
}

/** The claim at a step where no honest agent has answered. */
export const BARE_CLAIM: CompletionClaim = { kind: 'answered', success: true, output: null };

/** The attack that a plan describes. */
export function createAttack(workflow: CompiledWorkflow, plan: AttackPlan): Attack {
  const { definition } = workflow;
  const driver = createScriptedDriver(scriptFor(workflow, plan));
  const roles = new Set(definition.steps.flatMap(rolesOf));
  const isAttended = plan.isAttended === true;
  return {
    cwd: plan.cwd,
    workflow: { ...workflow, code: liveCode(workflow, plan), ...(workflow.flow === undefined ? {} : { flow: liveFlow(workflow, plan) }) },
    roles: isAttended ? {} : Object.fromEntries([...roles].map((role) => [role, { driver: 'scripted' }])),
    drivers: { scripted: driver },
    facts: isAttended ? ATTENDED.with(true) : {},
    text: plan.agent === 'injects' ? HOSTILE_TEXT : undefined,
    commands: (real) => {
      for (const name of Object.keys(real)) plan.registered.add(name);
      return { ...real, ...hostileCommand(workflow, plan) };
    },
  };
}

function rolesOf(step: StepModel): string[] {
  const own = step.kind === 'agent' ? step.config.role : step.kind === 'generate' ? step.config.generator : undefined;
  return [...(own === undefined ? [] : [own]), ...membersOf(step).flatMap(rolesOf)];
}

/** The name that a step has in the record of a run, from its path and its own id. */
function nameOf({ path, step }: Pick<AgentRequest, 'path' | 'step'>): string {
  const at = parsePath(path);
  return at?.key === undefined ? step : `${at.step}/${step}`;
}

function scriptFor(workflow: CompiledWorkflow, plan: AttackPlan): Script {
  return async (request) => {
    const name = nameOf(request);
    if (plan.agent !== undefined && plan.step === name) return await hostileScript(plan.agent, targetOf(workflow, plan, name))(request);
    const answer = await createScriptedDriver(plan.honest).ask(request);
    if (plan.agent === undefined && answer.kind === 'answered') plan.claims.set(name, answer);
    return answer;
  };
}

function targetOf({ definition }: CompiledWorkflow, plan: AttackPlan, name: string): HostileTarget {
  const { claims, ended, onHang } = plan;
  return { definition, step: splitName(name).member ?? name, claim: claimWithoutTexts(definition.steps, name, claims), ended, onHang };
}

/** The claim of an honest agent without texts that the engine would post: those are the work itself. */
export function claimWithoutTexts(
  steps: readonly StepModel[],
  name: string,
  claims: ReadonlyMap<string, CompletionClaim>,
): CompletionClaim {
  const claim = claims.get(name) ?? BARE_CLAIM;
  const posted = (modelNamed({ steps }, name)?.outputs ?? []).filter((output) => !isFileOutput(output));
  if (posted.length === 0 || !isJsonObject(claim.output)) return claim;
  const withheld = new Set(['comment', 'pr', 'outputs', ...posted.map((output) => output.name)]);
  return { ...claim, output: Object.fromEntries(Object.entries(claim.output).filter(([field]) => !withheld.has(field))) };
}

type LiveAgent = NonNullable<StepCode['agent']>;

/** A live agent that is honest, and is replaced where its step is under attack. */
function replacedAgent(agent: LiveAgent, workflow: CompiledWorkflow, plan: AttackPlan): LiveAgent {
  return {
    execute: async (context, ctx) => {
      const name = nameOf({ path: ctx.path, step: ctx.stepId });
      if (plan.agent !== undefined && plan.step === name) return await hostileValue(workflow, plan, { name, ctx });
      const value = await agent.execute(context, ctx);
      if (plan.agent === undefined) plan.claims.set(name, { ...BARE_CLAIM, output: toPlain(value, `the output of step "${name}"`) });
      return value;
    },
  };
}

// An in-process agent answers with a value, and breaks by throwing.
async function hostileValue(workflow: CompiledWorkflow, plan: AttackPlan, at: { name: string; ctx: StepContext }): Promise<Json> {
  const { ctx, name } = at;
  const script = hostileScript(plan.agent ?? 'claims', targetOf(workflow, plan, name));
  const answer = await createScriptedDriver(script).ask({ ...emptyRequest(ctx), cwd: plan.workspace() });
  if (answer.kind !== 'answered') throw new Error(answer.kind === 'failed' ? answer.message : 'it asks');
  return answer.output;
}

function emptyRequest(ctx: StepContext): Omit<AgentRequest, 'cwd'> {
  const { runId, stepId: step, path, attempt, idempotencyKey, signal } = ctx;
  const nothing = { action: undefined, script: undefined, feedback: undefined, timeoutMs: undefined };
  return { role: 'live', runId, step, path, attempt, idempotencyKey, signal, prompt: '', context: {}, env: {}, ...nothing };
}

function liveCode(workflow: CompiledWorkflow, plan: AttackPlan): ReadonlyMap<string, StepCode> {
  return new Map([...workflow.code].map(([id, code]) => [id, withAgents(code, workflow, plan)]));
}

function withAgents(code: StepCode, workflow: CompiledWorkflow, plan: AttackPlan): StepCode {
  const members = Object.entries(code.members).map(([id, member]) => [id, withAgents(member, workflow, plan)] as const);
  return {
    ...code,
    ...(code.agent === undefined ? {} : { agent: replacedAgent(code.agent, workflow, plan) }),
    members: Object.fromEntries(members),
  };
}

/** The flow, with the live agents in all its yielded values replaced. */
function liveFlow(workflow: CompiledWorkflow, plan: AttackPlan): NonNullable<CompiledWorkflow['flow']> {
  const live = (step: FlowStep): FlowStep => ({ ...step, bound: { ...step.bound, code: withAgents(step.bound.code, workflow, plan) } });
  return function* (input: never) {
    const flow = (workflow.flow as NonNullable<CompiledWorkflow['flow']>)(input);
    for (let turn = flow.next(); ; ) {
      if (turn.done === true) return turn.value;
      const yielded = turn.value as FlowYield;
      // The replacement has the same work.
      markUsed(yielded);
      try {
        turn = flow.next(yield yielded.yields === 'step' ? live(yielded) : { ...yielded, steps: yielded.steps.map(live) });
      } catch (failure) {
        turn = flow.throw(failure);
      }
    }
  };
}

/** The registered command of the step under attack, as a program of the hostile agent. */
function hostileCommand({ definition }: CompiledWorkflow, plan: AttackPlan): Record<string, readonly string[]> {
  const { agent, step = '' } = plan;
  const program = agent === undefined ? undefined : hostileAgents[agent].program;
  const name = commandOf(definition.steps, step);
  if (program === undefined || name === undefined || !plan.registered.has(name)) return {};
  return { [name]: [process.execPath, '--eval', program((plan.claims.get(step) ?? BARE_CLAIM).output)] };
}

/** The name under which the program of a step may be registered: its first word. */
export function commandOf(steps: readonly StepModel[], step: string): string | undefined {
  const model = modelNamed({ steps }, step);
  if (model?.kind !== 'command') return undefined;
  const { run = '', argv } = model.config;
  return argv?.[0] ?? run.trim().split(/\s+/)[0];
}
