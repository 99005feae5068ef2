// Owns the project that the tests of feature-development work on: a bare repository behind a local forge, a clone as the
// workspace, small programs `pytest` and `ruff` that look at the files of the clone, an agent that writes, commits and
// pushes there, and a clock that is turned by hand.

import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { AgentAnswer, AgentRequest } from '../../src/agents/driver.ts';
import { createScriptedDriver } from '../../src/agents/scripted.ts';
import { checkYaml } from '../../src/authoring/yaml/check/check.ts';
import type { JsonObject } from '../../src/base/json.ts';
import type { CompiledWorkflow } from '../../src/definition/code.ts';
import type { Forge } from '../../src/forge/forge.ts';
import type { LocalForge } from '../../src/forge/local/local-forge.ts';
import type { Engine, RunHandle } from '../../src/index.ts';
import type { RunEvent } from '../../src/kernel/event.ts';
import { REGISTRY } from '../../src/kinds/registry.ts';
import { valueIn } from '../../src/proof/forge-suite/stage.ts';
import { createVirtualClock, type VirtualClock } from '../../src/proof/virtual-clock.ts';
import { type LocalForgeStage, openLocalForgeStage } from '../forge/local-stage.ts';
import { createRig, type Rig } from './rig.ts';

const FILE = join(import.meta.dirname, '../seeds/002/feature-development.yaml');

/** The text of the seed's workflow, as it stands there. */
export const FEATURE_TEXT: string = readFileSync(FILE, 'utf8');

/** The branch that the agent works on. */
export const BRANCH = 'add-search';

/** What an agent does when it is asked; the project is where it does it. */
export type Agent = (request: AgentRequest, project: FeatureProject) => AgentAnswer | Promise<AgentAnswer>;

/** Agents by the step that asks; a step that is not named gets the one that does its work. */
export type Agents = Readonly<Record<string, Agent>>;

/** What can be out of order at the forge. */
type Outage = 'merge' | 'close_issue' | 'last_comment';

/** How a project is opened. */
export interface FeatureOptions {
  readonly agents?: Agents;
  /** Labels of the issue beside `feature`. */
  readonly labels?: readonly string[];
  /** One after the other; each lasts until `endOutage`. */
  readonly outages?: readonly Outage[];
}

/** A place for one run of the workflow. */
export interface FeatureProject {
  readonly rig: Rig;
  readonly stage: LocalForgeStage;
  readonly clock: VirtualClock;
  readonly engine: Engine;
  readonly issue: number;
  /** What agents were asked, oldest first. */
  readonly asked: AgentRequest[];
  /** A path of the clone. */
  path(name: string): string;
  /** Writes files of the clone, commits and pushes them. */
  push(files: Readonly<Record<string, string>>): Promise<void>;
  git(...args: readonly string[]): Promise<string>;
  /** The first of the outages is over. */
  endOutage(): void;
  /** Somebody pushes right after the gate has seen the next approval: a file, or a commit that changes none. */
  moveHeadAfterApproval(files?: Readonly<Record<string, string>>): void;
  /** Somebody pushes to the branch from a clone of their own. */
  pushFromElsewhere(files: Readonly<Record<string, string>>): Promise<void>;
  start(): Promise<RunHandle>;
  events(run: string): Promise<readonly RunEvent[]>;
  close(): Promise<void>;
}

/** The seed's workflow, compiled. */
export function featureDevelopment(): CompiledWorkflow {
  const { compiled, errors } = checkYaml(FILE, FEATURE_TEXT, REGISTRY);
  if (compiled === undefined) throw new Error(JSON.stringify(errors));
  return compiled;
}

/** Opens the project. */
export async function openFeatureProject({ agents = {}, labels = [], outages = [] }: FeatureOptions = {}): Promise<FeatureProject> {
  const rig = createRig();
  // Long ago, so that a report that is written during the test is newer than the gate that looks at it.
  const clock = createVirtualClock(Date.UTC(2020, 0, 1));
  const stage = await openLocalForgeStage(() => clock.now());
  const clone = rig.path('clone');
  const git = gitIn(rig.directory);
  await git('clone', '--quiet', stage.repository, clone);
  writePrograms(rig);
  const facts = await openIssue(stage, ['feature', ...labels]);
  const asked: AgentRequest[] = [];
  const driver = createScriptedDriver(async (request) => {
    asked.push(request);
    return await (agents[request.step] ?? WORKERS[request.step] ?? approve)(request, project);
  });
  const workflow = featureDevelopment();
  const left = [...outages];
  let headMoves: Readonly<Record<string, string>> | undefined;
  const forge: Forge = {
    ...withOutages(stage.forge, left),
    approvals: async (pr) => {
      const answer = await stage.forge.approvals(pr);
      if (headMoves !== undefined && valueIn(answer).length > 0) {
        const files = headMoves;
        headMoves = undefined;
        await push(clone, files);
      }
      return answer;
    },
  };
  const engine = await rig.open({
    workflows: [workflow],
    cwd: clone,
    clock,
    forge,
    groups: { maintainers: ['ann', 'bob'] },
    env: { PATH: `${rig.path('bin')}:${process.env.PATH}`, HUNG: rig.path('hung') },
    roles: Object.fromEntries(ROLES.map((role) => [role, { driver: 'scripted' }])),
    drivers: { scripted: driver },
  });
  const project: FeatureProject = {
    ...{ rig, stage, clock, engine, asked, issue: facts.issue_number },
    path: (name) => join(clone, name),
    git: (...args) => gitIn(clone)(...args),
    push: (files) => push(clone, files),
    endOutage: () => void left.shift(),
    moveHeadAfterApproval: (files = { 'late.txt': 'late\n' }) => {
      headMoves = files;
    },
    pushFromElsewhere: async (files) => {
      const elsewhere = rig.path('elsewhere');
      await git('clone', '--quiet', '--branch', BRANCH, stage.repository, elsewhere);
      await push(elsewhere, files);
    },
    start: () => engine.start(workflow, {}, { facts }),
    events: async (run) => (await engine.store.events(run, 0)).flatMap((row) => row.events),
    close: async () => {
      await rig.close();
      await stage.close();
    },
  };
  return project;
}

const ROLES = ['feat-dev', 'docs-dev', 'test-coverage', 'security-review', 'pr-review', 'merge-conflict'];

/** An answer that claims success. */
export function done(output: JsonObject = {}): AgentAnswer {
  return { kind: 'answered', success: true, output };
}

/** What a reviewer says. */
export function review(verdict: 'approve' | 'reject', feedback: string): AgentAnswer {
  return { kind: 'answered', success: true, verdict, output: { verdict, feedback } };
}

/** A review that lets the change pass. */
export function approve(): AgentAnswer {
  return review('approve', 'fine');
}

/** Code that other modules may use, and code that they may not. */
export const PUBLIC_CODE = 'def find(text):\n    return text\n';
/** The same without a public name. */
export const PRIVATE_CODE = 'def _find(text):\n    return text\n';

/** Writes code and its test, and pushes both; `code` is what `src/search.py` becomes. */
export function implement(code: string, name = 'find'): Agent {
  return async ({ path }, project) => {
    await project.push({
      'src/search.py': `${code}# ${path}\n`,
      'tests/test_search.py': `# ${path}\ndef test_it():\n    assert ${name}("a")\n`,
    });
    return done();
  };
}

const WORKERS: Agents = {
  research: () => done({ comment: 'First the index, then the search.' }),
  implement: implement(PRIVATE_CODE, '_find'),
  documentation: async (_, project) => {
    await project.push({ 'docs/search.md': '# Search\n' });
    return done();
  },
  pull_request: () => done({ pr: { title: 'Add search', body: 'As planned.', head: BRANCH } }),
};

/** The forge, which gets no request of one sort through as long as that is the first of its outages. */
function withOutages(forge: LocalForge, outages: readonly Outage[]): Forge {
  const during = async <T>(outage: Outage, ask: () => Promise<T>): Promise<T> => {
    if (outages[0] !== outage) return await ask();
    forge.control.unavailable(true);
    const answer = await ask();
    forge.control.unavailable(false);
    return answer;
  };
  return {
    ...forge,
    mergePullRequest: (request, key) => during('merge', () => forge.mergePullRequest(request, key)),
    closeIssue: (request, key) => during('close_issue', () => forge.closeIssue(request, key)),
    comment: (request, key) =>
      request.body.startsWith('Workflow completed')
        ? during('last_comment', () => forge.comment(request, key))
        : forge.comment(request, key),
  };
}

async function openIssue({ forge }: LocalForgeStage, labels: readonly string[]) {
  const title = 'Add search';
  const number = valueIn(await forge.createIssue({ title, body: '', labels }, 'issue')).number;
  return {
    issue_number: number,
    labels: [...labels],
    $trigger: { issue: { number, title }, label: { name: 'feature' } },
    $config: { project: { default_branch: 'main' } },
  };
}

const run = promisify(execFile);
const WHO = ['-c', 'user.name=Feat', '-c', 'user.email=feat@example.org', '-c', 'commit.gpgsign=false', '-c', 'core.hooksPath=/dev/null'];

function gitIn(cwd: string): (...args: readonly string[]) => Promise<string> {
  const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };
  return async (...args) => (await run('git', [...WHO, ...args], { cwd, env })).stdout;
}

async function push(clone: string, files: Readonly<Record<string, string>>): Promise<void> {
  const git = gitIn(clone);
  await git('checkout', '--quiet', '-B', BRANCH);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(clone, path)), { recursive: true });
    writeFileSync(join(clone, path), text);
  }
  await git('add', ...Object.keys(files));
  await git('commit', '--quiet', '--allow-empty', '-m', 'Add search');
  await git('push', '--quiet', '--force', 'origin', BRANCH);
}

// A test here is a line that asserts something of a function; it passes when a file of `src` defines that function. A
// function is covered when a test asserts something of it. Like the real one, it also reports what tests covered that failed.
const PYTEST = `#!/bin/sh
if grep -q 'while True' -r src; then echo hung > "$HUNG"; exec sleep 600; fi
names=$(sed -n 's/^    assert \\([a-z_]*\\)(.*/\\1/p' tests/*.py)
if [ -z "$names" ]; then echo "no tests ran in 0.00s"; exit 5; fi
all=$(echo $names) passed=0 failed=0
for name in $names; do
  if grep -q "^def $name(" -r src; then passed=$((passed + 1)); continue; fi
  echo "FAILED tests/test_search.py::test_it - NameError: $name"
  failed=$((failed + 1))
done
lines=$(sed -n 's/^def \\([a-z_]*\\)(.*/\\1/p' src/*.py | while read -r name; do
  case " $all " in *" $name "*) hits=1 ;; *) hits=0 ;; esac
  line=$((line + 1))
  echo "<line number=\\"$line\\" hits=\\"$hits\\"/>"
done)
echo "<coverage><packages><package name=\\"src\\"><classes><class name=\\"search.py\\" filename=\\"src/search.py\\"><lines>
$lines
</lines></class></classes></package></packages></coverage>" > coverage.xml
if [ $failed -gt 0 ]; then echo "=== $failed failed, $passed passed in 0.01s ==="; exit 1; fi
echo "=== $passed passed in 0.01s ==="
`;

const RUFF = `#!/bin/sh
if grep -n '[[:space:]]$' -r src; then echo "Found trailing whitespace (W291)"; exit 1; fi
echo "All checks passed!"
`;

function writePrograms(rig: Rig): void {
  mkdirSync(rig.path('bin'));
  for (const [name, text] of Object.entries({ pytest: PYTEST, ruff: RUFF })) {
    writeFileSync(rig.path(`bin/${name}`), text);
    chmodSync(rig.path(`bin/${name}`), 0o755);
  }
}
