// Executes `command`: a program that gets the run on its standard input and may end with a report. How it
// ended is observed; its report is only a claim.

import { omitUndefined } from '../../base/fields.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import { didYouMean } from '../../base/suggest.ts';
import type { StepOf } from '../../definition/model.ts';
import type { ProcessResult } from '../../process/command.ts';
import { instructionsFor, wholeText } from '../../steps/instructions/instructions.ts';
import { ATTENDED } from '../../steps/run-records.ts';
import { ownEntry } from '../../steps/services.ts';
import { type Job, type Runner, stepError, stoppedError, type Work } from '../../steps/work.ts';
import { openCredentials } from '../../steps/worker/credentials.ts';
import type { StoredHandover } from '../../steps/worker/handover.ts';
import { openNetwork } from '../../steps/worker/network.ts';
import { exitSentence, keptText, type Program, programName, programOf, runProgram } from '../../steps/worker/program.ts';
import { assumptionsOf } from '../../steps/worker/reply-rules.ts';
import { stateFilesOf, stateInstructions } from '../../steps/worker/saved-state.ts';
import { hintedOutcome } from '../../steps/worker/step-hint.ts';
import { stepInputOf } from '../../steps/worker/step-input.ts';
import { readStepOutput, type StepOutput } from '../../steps/worker/step-output.ts';

type ExitResult = ProcessResult & { readonly kind: 'exited' };

const OUTPUT_MAX = 16 << 20;
const PLAIN_WORDS = /^[\w./:=@%+,-]+(?:\s+[\w./:=@%+,-]+)*$/;

/** Runs the program and reads what it reports. */
export async function execute(job: Job<StepOf<'command'>>): Promise<Work> {
  const { runner, request, context } = job;
  const { model } = request.bound;
  const written = programOf(model.config);
  const program = registered(runner, written);
  if ('refusal' in program) return { error: stepError('COMMAND_NOT_RUN', `step "${model.id}": ${program.refusal}`, { retryable: false }) };
  const network = await openNetwork([model.network]);
  if ('refusal' in network)
    return { error: stepError('NETWORK_NOT_ENFORCED', `step "${model.id}" was not started: ${network.refusal}`, { retryable: false }) };
  const result = await runProgram(runner, request, {
    ...program,
    stdin: JSON.stringify(stepInputOf(request, context)),
    outputMax: OUTPUT_MAX,
    ...omitUndefined({ timeoutMs: model.timeoutMs, fence: network.fence }),
  }).finally(() => network.close());
  const name = programName(written);
  // A registered command speaks the protocol: in an attended run, what it prints without a report is for the agent.
  const prompt = program !== written && isPrompt(job, result) ? result.stdout.trim() : '';
  if (prompt !== '') return { handed: await handPrompt(job, prompt, name), actor: name };
  const work = result.kind === 'exited' ? ended(job, result) : notEnded(job, result);
  return { actor: name, ...work, ...evidenceOf({ ...work.evidence, ...network.evidence(), ...openCredentials(runner.services).evidence }) };
}

/** Hands the program's output to the attended agent as its task. */
async function handPrompt(job: Job<StepOf<'command'>>, task: string, role: string): Promise<StoredHandover> {
  const { title, supportsQuestions } = job.request.bound.model;
  const parts = await instructionsFor(job, { title, task: [{ kind: 'text', text: task }], data: {}, rules: await stateInstructions(job) });
  return {
    kind: 'command',
    prompt: wholeText(parts),
    parts,
    role,
    title,
    mayAsk: supportsQuestions === true,
    ...omitUndefined({ state: await stateFilesOf(job) }),
  };
}

function evidenceOf(evidence: JsonObject): Pick<Work, 'evidence'> {
  return Object.keys(evidence).length === 0 ? {} : { evidence };
}

function isPrompt({ context }: Job, result: ProcessResult): result is ExitResult {
  if (result.kind !== 'exited' || result.exitCode !== 0 || ATTENDED.in(context.snapshot.data) !== true) return false;
  return readStepOutput(result.stdout).kind === 'none';
}

// A name such as `w1:strategic` is looked up as a whole, then by its first word; further words are its arguments.
function registered(runner: Runner, program: Program): Program | { readonly refusal: string } {
  const { commands = {} } = runner.services;
  const words = program.argv ?? (program.run ?? '').trim().split(/\s+/);
  const [first = '', ...rest] = words;
  const whole = program.run === undefined ? undefined : ownEntry(commands, program.run.trim());
  const entry = whole ?? ownEntry(commands, first);
  if (entry === undefined) return unregistered(commands, program, first);
  if (whole === undefined && program.run !== undefined && !PLAIN_WORDS.test(program.run.trim()))
    return { refusal: `"${first}" is a registered command, and its arguments need a shell; write them as argv: ["${first}", …]` };
  const { run: _, ...others } = program;
  return { ...others, argv: [...entry, ...(whole === undefined ? rest : [])] };
}

// A colon is unusual in a program name: if a registered name is similar, it is a misspelling.
function unregistered(commands: object, program: Program, first: string): Program | { readonly refusal: string } {
  const hint = first.includes(':') ? didYouMean(first, Object.keys(commands)) : '';
  return hint === '' ? program : { refusal: `no command "${first}" is registered${hint}` };
}

function notEnded({ request }: Job, result: Exclude<ProcessResult, ExitResult>): Work {
  const step = request.bound.model.id;
  if (result.kind === 'not-run')
    return { error: stepError('COMMAND_NOT_RUN', `step "${step}" could not be run: ${result.message}`, { retryable: false }) };
  if (result.kind === 'aborted') return { error: stoppedError(step) };
  // The same wording as for the engine's timeout, which ends at the same time: people see the same message either way.
  const { activation, bound } = request;
  const message = `step "${step}" timed out: attempt ${activation.attempt} took longer than ${bound.model.timeoutMs ?? 0} ms`;
  return { error: stepError('STEP_FAILED', message, { reason: 'timeout' }) };
}

function ended(job: Job, result: ExitResult): Work {
  const step = job.request.bound.model.id;
  const evidence = { process: processEvidence(result) };
  const reading = readStepOutput(result.stdout);
  if (reading.kind === 'invalid') {
    const message = `the StepOutput of step "${step}" cannot be read: ${reading.why}; print one JSON object as the last line`;
    return {
      error: stepError('STEP_OUTPUT_INVALID', message),
      evidence: { process: { ...evidence.process, stdout: keptText(result.stdout) } },
    };
  }
  if (reading.kind === 'reported') {
    const work = reported(job, result, reading.output);
    return { ...work, evidence: { ...evidence, ...work.evidence } };
  }
  if (result.exitCode !== 0) return { error: stepError('STEP_FAILED', `the command of step "${step}" ${exitSentence(result)}`), evidence };
  return { outcome: 'ok', output: streamsOf(result), evidence };
}

function reported(job: Job, result: ExitResult, output: StepOutput): Work {
  const { bound, workflow } = job.request;
  const claim = output as unknown as JsonObject;
  if (!output.success) {
    const { error = 'the command reported failure without saying why', result: reportedResult } = output;
    return { outcome: 'fail', output: { error, ...omitUndefined({ result: reportedResult }) }, claim, ...assumptionsOf(output) };
  }
  if (result.exitCode !== 0) {
    const message = `the command of step "${bound.model.id}" reported success but ${exitSentence({ ...result, stdout: '' })}`;
    return { error: stepError('STEP_FAILED', message), claim };
  }
  if (output.postconditionsPassed === false) {
    const message = `the command of step "${bound.model.id}" reported success, but also that its postconditions did not pass`;
    return { error: stepError('POSTCONDITION_FAILED', message, { reason: 'contract' }), claim };
  }
  const reportedResult: Json = output.result ?? null;
  const { outcome, evidence } = hintedOutcome(bound.model, output.nextStepHint);
  const value = workflow.definition.form === 'flow' ? { ...streamsOf(result), result: reportedResult } : reportedResult;
  return { outcome, output: value, claim, ...omitUndefined({ evidence }), ...assumptionsOf(output) };
}

function streamsOf(result: ExitResult): JsonObject {
  return { exitCode: result.exitCode, stdout: keptText(result.stdout), stderr: keptText(result.stderr) };
}

function processEvidence({ exitCode, signal, durationMs, leftBehind, left }: ExitResult): JsonObject {
  return { exitCode, signal, durationMs, leftBehind, left: [...left] };
}
