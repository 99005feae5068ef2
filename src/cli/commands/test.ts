// `pawl test [WORKFLOW…]`: runs the tests that are generated for workflows.

import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { omitUndefined } from '../../base/fields.ts';
import type { Json } from '../../base/json.ts';
import { type ArgModel, type Definition, membersOf } from '../../definition/model.ts';
import type { GeneratedCase } from '../../proof/generated/inputs.ts';
import { filtered, type PlannedTest, planTests, type TestCategory } from '../../proof/generated/plan.ts';
import { runTests, summaryOf, type TestResult } from '../../proof/generated/results.ts';
import { agentUnits } from '../../proof/generated/text.ts';
import type { StepServices } from '../../steps/services.ts';
import { type CommandRun, type ParsedArgs, usageError } from '../command.ts';
import { junitReport, repeatCommand, reportLines, type TestedWorkflow } from '../generated-tests/report.ts';
import { type TestSubject, testSubjects } from '../generated-tests/subjects.ts';
import { previewServices } from '../open-engine.ts';
import { writeOutput } from '../output-file.ts';
import { readParams } from '../params.ts';
import { findSetup } from '../session.ts';
import type { Shell } from '../shell.ts';
import { oneLine, plain, shorten } from '../terminal.ts';

const EXIT_FAILED = 1;
const PROCESSES_MAX = 4;
const PROGRESS_MS = 100;
const FLOW_NOTE = 'a flow has no steps before it runs, so none are tested; test them with a scripted agent';

/** Runs the command. */
export const run: CommandRun = async (shell, args) => {
  const setup = await findSetup(shell, args);
  const categories = args.options('category') as readonly TestCategory[];
  const wants = (category: TestCategory): boolean => categories.length === 0 || categories.includes(category);
  const names = args.allWords('WORKFLOW');
  const subjects = await testSubjects(shell, setup.project, { names, validates: wants('structure') });
  if (subjects.length === 0) throw usageError('this project has no workflows or skills to test; "pawl init" writes a first workflow');
  assertDeclared(shell, args, subjects);
  const services = await previewServices(shell, setup);
  const progress = new Progress(shell);
  const tested: TestedWorkflow[] = [];
  for (const subject of subjects) {
    const one = await testSubject(shell, subject, { args, wants, services, progress });
    if (one.results.length > 0) tested.push(one);
  }
  progress.clear();
  const filter = args.option('filter');
  if (tested.length === 0)
    throw usageError(
      `no test${filter === undefined ? ' is in these categories' : ` has "${filter}" in its id`}; "pawl test --json" lists all`,
    );
  writeJunit(shell, args, tested);
  const ok = tested.every((one) => one.ok);
  const withRepeat = tested.map((one) => ({
    ...one,
    results: one.results.map((result) => (result.ok ? result : { ...result, repeat: repeatCommand(shell, one.reference, result.id) })),
  }));
  shell.result({ ok, workflows: withRepeat }, () => reportLines(shell, tested));
  return ok ? 0 : EXIT_FAILED;
};

interface TestContext {
  readonly args: ParsedArgs;
  readonly wants: (category: TestCategory) => boolean;
  readonly services: StepServices;
  readonly progress: Progress;
}

async function testSubject(shell: Shell, subject: TestSubject, { args, wants, services, progress }: TestContext): Promise<TestedWorkflow> {
  const { name, reference, file, loaded, problems } = subject;
  const filter = args.option('filter');
  if ('problem' in loaded) {
    const failed: TestResult = { id: `${name}/import`, category: 'import', ok: false, problems: [loaded.problem], durationMs: 0 };
    // The case that the filter names does not exist, so the failed import is its result.
    const isWanted = filter?.startsWith(`${name}/`) === true;
    return { ...summaryOf(name, isWanted ? [failed] : filtered([failed], filter)), reference, ...omitUndefined({ file }) };
  }
  const { definition } = loaded.workflow;
  const category = (['import', 'structure', 'steps', 'domain'] as const).filter(wants);
  const values = valuesOf(shell, args, definition);
  const plan = planTests(loaded.workflow, { category, services, values, ...omitUndefined({ filter }) });
  try {
    const validated = plan.tests.map((test) =>
      test.category === 'structure' && problems.length > 0 ? { ...test, check: async () => problems } : test,
    );
    const tests = args.has('subprocess') ? withProcesses(shell, subject, validated) : validated;
    progress.begin(tests.length);
    const results = await runTests(tests, (result) => progress.show(result));
    const note = definition.form === 'flow' && wants('steps') ? FLOW_NOTE : undefined;
    return { ...summaryOf(name, results), reference, ...omitUndefined({ file, note }) };
  } finally {
    await plan.close();
  }
}

function valuesOf(shell: Shell, args: ParsedArgs, definition: Definition): Readonly<Record<string, readonly Json[]>> {
  const declared = declaredIn(definition);
  const values = Object.entries(readParams(shell, args, declared)).filter(([name]) => Object.hasOwn(declared, name));
  return Object.fromEntries(values.map(([name, value]) => [name, [value]]));
}

function declaredIn({ params, steps }: Definition): Readonly<Record<string, ArgModel>> {
  return Object.assign({}, ...steps.flatMap((step) => [step, ...membersOf(step)]).map(({ args }) => args), params);
}

/** Rejects a value that no tested workflow declares, unless a workflow that could not be loaded may declare it. */
function assertDeclared(shell: Shell, args: ParsedArgs, subjects: readonly TestSubject[]): void {
  const workflows = subjects.flatMap(({ loaded }) => ('workflow' in loaded ? [loaded.workflow] : []));
  if (workflows.length < subjects.length) return;
  const names = new Set(workflows.flatMap(({ definition }) => Object.keys(declaredIn(definition))));
  const unknown = Object.keys(readParams(shell, args, {})).find((name) => !names.has(name));
  if (unknown === undefined) return;
  const known = names.size === 0 ? 'they have none' : `they have ${[...names].join(', ')}`;
  throw usageError(`no tested workflow has a parameter or argument "${unknown}"; ${known}`);
}

/** Adds a process for each case of an agent. Processes run ahead of the tests, because starting them takes the longest. */
function withProcesses(shell: Shell, { reference, loaded }: TestSubject, tests: readonly PlannedTest[]): readonly PlannedTest[] {
  const setups = 'workflow' in loaded ? agentUnits(loaded.workflow.definition) : new Set<string>();
  const waiting: (() => Promise<void>)[] = [];
  const started = tests.map((test) => {
    const { generated } = test;
    if (generated === undefined || !setups.has(generated.step)) return test;
    const { promise, resolve, reject } = Promise.withResolvers<readonly string[]>();
    promise.catch(() => undefined);
    waiting.push(() => promptProblems(shell, reference, generated).then(resolve, reject));
    return { ...test, check: async () => [...(await test.check()), ...(await promise)] };
  });
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await next();
  };
  for (let count = Math.min(PROCESSES_MAX, availableParallelism()); count > 0; count -= 1) void work();
  return started;
}

function writeJunit(shell: Shell, args: ParsedArgs, tested: readonly TestedWorkflow[]): void {
  const file = args.option('junit');
  if (file === undefined) return;
  writeOutput(resolve(shell.cwd, file), junitReport(tested), { label: 'the report' });
}

class Progress {
  private readonly shell: Shell;
  private done = 0;
  private total = 0;
  private last = 0;

  constructor(shell: Shell) {
    this.shell = shell;
  }

  begin(total: number): void {
    this.total = total;
    this.done = 0;
  }

  show({ id }: TestResult): void {
    const { display, wantsJson } = this.shell;
    this.done += 1;
    if (!display.isTerminal || wantsJson || Date.now() - this.last < PROGRESS_MS) return;
    this.last = Date.now();
    this.shell.write(`\r\u001b[K${shorten(display, `${this.done}/${this.total} ${oneLine(id)}`, display.columns - 1)}`);
  }

  clear(): void {
    if (this.last > 0) this.shell.write('\r\u001b[K');
  }
}

const OUTPUT_CHARACTERS_MAX = 400;
const TIMEOUT_MS = 60_000;

/** Runs the command for a case; returns a problem if it fails. */
async function promptProblems(shell: Shell, workflow: string, { step, params, args }: GeneratedCase): Promise<readonly string[]> {
  const named = shell.named.flatMap(([option, value]) => [`--${option}`, value]);
  const words = ['prompt', workflow, step, '--params', JSON.stringify({ ...params, ...args }), '--json', ...named];
  const { code, stderr } = await runCommand(shell, words);
  if (code === 0) return [];
  const why = plain(stderr).trim().slice(-OUTPUT_CHARACTERS_MAX);
  return [`"pawl ${words.slice(0, 3).join(' ')}" exited with ${code ?? 'no code'}${why === '' ? '' : `: ${why}`}`];
}

function runCommand(shell: Shell, words: readonly string[]): Promise<{ readonly code: number | null; readonly stderr: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [process.argv[1] as string, ...words], {
      cwd: shell.cwd,
      env: { ...shell.env },
      stdio: ['ignore', 'ignore', 'pipe'],
      timeout: TIMEOUT_MS,
    });
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, stderr }));
  });
}
