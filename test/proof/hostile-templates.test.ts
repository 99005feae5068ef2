// The templates of `pawl init` under attack: every agent step of each, by each way of lying about it, on a local forge.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import type { AgentAnswer, AgentRequest } from '../../src/agents/driver.ts';
import { checkYaml } from '../../src/authoring/yaml/check/check.ts';
import type { CompiledWorkflow } from '../../src/definition/code.ts';
import { REGISTRY } from '../../src/kinds/registry.ts';
import { valueIn } from '../../src/proof/forge-suite/stage.ts';
import { type Attack, type HostileFixture, runHostile } from '../../src/proof/index.ts';
import { createVirtualClock } from '../../src/proof/virtual-clock.ts';
import { createRig } from '../engine/rig.ts';
import { openLocalForgeStage } from '../forge/local-stage.ts';
import { git } from '../git.ts';

const ROLES = ['developer', 'reviewer', 'security-reviewer', 'test-reviewer'];

/** A template as `pawl init` writes it into a project without tests. */
function template(name: string): CompiledWorkflow {
  const file = join(import.meta.dirname, '../../templates/archetypes/workflows', `${name}.yaml`);
  const text = readFileSync(file, 'utf8').replace('NAME', name).replaceAll('VERIFY', 'node --test').replaceAll('TESTS', '**/*test*');
  const { compiled, errors } = checkYaml(file, text, REGISTRY);
  if (compiled === undefined) throw new Error(JSON.stringify(errors));
  return compiled;
}

const done = (output = {}): AgentAnswer => ({ kind: 'answered', success: true, output });
let clone = '';
let branch = 0;
const HONEST: Readonly<Record<string, () => AgentAnswer>> = {
  research: () => done({ outputs: { implementation_plan: 'First the index.' } }),
  diagnose: () => done({ outputs: { root_cause: 'The index is missing.' } }),
  threat_model: () => done({ outputs: { threat_analysis: 'None that matter.' } }),
  implement: work,
  work,
  pull_request: () => done({ outputs: { pr_number: { title: 'Search', body: 'Done.' } } }),
};

function work(): AgentAnswer {
  rigWrite('trial/trial.mjs', 'export const answer = () => 42;\n');
  rigWrite(
    'trial/trial.test.mjs',
    `import { test } from 'node:test';\nimport { answer } from './trial.mjs';\ntest('it', () => { if (answer() !== 42) throw new Error('no'); });\n// ${branch}\n`,
  );
  git(clone, 'add', '--all');
  git(clone, 'commit', '--quiet', '-m', 'work');
  return done();
}
let rigWrite: (path: string, text: string) => void = () => undefined;
const approve = (): AgentAnswer => ({
  kind: 'answered',
  success: true,
  verdict: 'approve',
  output: { verdict: 'approve', feedback: 'fine' },
});

/** A project with a forge of its own, in which every agent is one of the attack. */
async function open(workflow: CompiledWorkflow, labels: readonly string[], { drivers }: Attack): Promise<HostileFixture> {
  const rig = createRig();
  const clock = createVirtualClock(Date.UTC(2020, 0, 1));
  const stage = await openLocalForgeStage(() => clock.now());
  clone = rig.path('clone');
  branch += 1;
  git(rig.directory, 'clone', '--quiet', stage.repository, clone);
  git(clone, 'switch', '--quiet', '--create', `topic-${branch}`);
  rigWrite = (path, text) => {
    mkdirSync(dirname(join(clone, path)), { recursive: true });
    writeFileSync(join(clone, path), text);
  };
  const issue = valueIn(await stage.forge.createIssue({ title: 'Add search', body: '', labels }, 'key/issue')).number;
  const engine = await rig.open({
    ...{ workflows: [workflow], cwd: clone, clock, forge: stage.forge },
    groups: { maintainers: ['ann'], 'security-team': ['ann'] },
    roles: Object.fromEntries(ROLES.map((role) => [role, { driver: 'scripted' }])),
    drivers,
  });
  const facts = { issue_number: issue, labels, $trigger: { issue: { number: issue, title: 'Add search', body: '' } } };
  return {
    ...{ engine, cwd: clone, clock },
    start: () => engine.start(workflow, {}, { facts }),
    idle: () => stage.review(issue + 1, 'ann', 'approved'),
    close: async () => {
      await rig.close();
      await stage.close();
    },
  };
}

/** Those that take minutes; `TEMPLATES=all` runs them too. */
const LONG: readonly string[] = process.env.TEMPLATES === 'all' ? [] : ['feature-development', 'security-sensitive'];
const TEMPLATES: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  ['bug-fix', ['bug'], ['diagnose', 'implement', 'pull_request']],
  ['custom', ['pawl'], ['work', 'pull_request']],
  ['feature-development', ['feature'], ['research', 'implement', 'pull_request']],
  ['security-sensitive', ['feature', 'security'], ['threat_model', 'implement', 'pull_request']],
];

test.each(TEMPLATES.filter(([name]) => !LONG.includes(name)))(
  'no agent of %s completes a step without what it demands',
  async (name, labels, demanded) => {
    const workflow = template(name);
    const honest = (request: AgentRequest) => (HONEST[request.step] ?? approve)();
    const result = await runHostile(workflow, { open: (attack) => open(workflow, labels, attack), honest });
    console.log(result.report());
    expect([result.falseCompletions, result.breaches]).toEqual([[], []]);
    expect(result.steps.filter((step) => step.enforced).map(({ step }) => step)).toEqual(demanded);
  },
);
