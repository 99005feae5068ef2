// What templates and conditions read: the lines of the specification about values, each on a real engine.

import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ScriptedMove } from '../../src/agents/scripted.ts';
import { checkYaml } from '../../src/authoring/yaml/check/check.ts';
import { REGISTRY } from '../../src/kinds/registry.ts';
import { valueIn } from '../../src/proof/forge-suite/stage.ts';
import { createVirtualClock } from '../../src/proof/virtual-clock.ts';
import { type LocalForgeStage, openLocalForgeStage } from '../forge/local-stage.ts';
import { createPlay, errorsOf, outputOf, type Play, type PlayOptions, storyOf } from './yaml-play.ts';

let play: Play;
beforeEach(() => {
  play = createPlay();
});
afterEach(() => play.close());

/** A stage that keeps what a text becomes, in a file. */
const show = (text: string, id = 'show') =>
  `  - { id: ${id}, type: command, run: 'printf "%s" "$TEXT" > ${id}', env: { TEXT: "${text}" } }\n`;

/** What a text becomes below these lines. */
async function shown(text: string, lines = '', options: PlayOptions = {}): Promise<string> {
  const view = await play.run(`${lines}stages:\n${show(text)}`, options);
  return view.status === 'completed' ? play.read('show') : `${view.status}: ${view.error}`;
}

describe('context', () => {
  test('entries are evaluated in file order, so that one sees those above it', async () => {
    expect(
      await shown('{{ context.b }}', 'params: { n: { default: 4 } }\ncontext: { a: "{{ params.n }}", b: "{{ a }}{{ context.a }}" }\n'),
    ).toBe('44');
  });

  test('entries are evaluated once, at the start', async () => {
    const view = await play.run(`
context: { word: one, twice: "{{ word }}{{ word }}" }
stages:
  - { id: a, type: command, run: "false", on_error: { goto: show, context: { word: two }, max_iterations: 1 } }
${show('{{ word }} {{ twice }}')}`);
    expect([view.status, play.read('show')]).toEqual(['completed', 'two oneone']);
  });

  test('the facts of the trigger are there', async () => {
    const facts = { issue_number: 42, pr_number: 7, labels: ['bug'], base_branch: 'main' };
    expect(await shown('{{ context.issue_number }} {{ pr_number }} {{ labels }} {{ base_branch }}', '', { facts })).toBe(
      '42 7 ["bug"] main',
    );
  });

  // The kernel knows facts only from the start of a run: a name that the trigger did not tell is missing instead of null.
  test('the facts are always there, null where nothing is known', async () => {
    expect(await shown('{{ context.pr_number == null }}')).toBe('true');
  });

  test('context that a transition adds is there before its target starts, and stays', async () => {
    const view = await play.run(`
stages:
  - { id: a, type: gate, conditions: [{ check: command, run: "false" }], on_fail: { goto: first, context: { note: "{{ gate.failed_checks | length }} failed" } } }
${show('{{ note }}', 'first')}${show('{{ context.note }}', 'second')}`);
    expect([view.status, play.read('first'), play.read('second')]).toEqual(['completed', '1 failed', '1 failed']);
  });

  test('a bare name that is no root of the scope is one of the context, and a root is not', async () => {
    expect(await shown('{{ word }}{{ run.workflow }}', 'context: { word: hi, run: no }\n')).toBe('hiw');
  });
});

describe('outputs.X', () => {
  const AGENT = (id: string, outputs: string) => `  - { id: ${id}, type: agent, agent: dev, outputs: [${outputs}] }\n`;
  const FILE = (name: string) => `{ name: ${name}, type: file, pattern: "*.${name}" }`;
  const writes =
    (...paths: string[]) =>
    (): readonly ScriptedMove[] => [
      ...paths.map((path) => ({ do: 'write' as const, path, text: `${play.asked.length}` })),
      { do: 'answer' },
    ];

  test('outputs.X is a stage, else the unique output of that name', async () => {
    const lines = `stages:\n${AGENT('a', FILE('txt'))}${show('{{ outputs.a.txt }}{{ outputs.txt }}{{ context.outputs.txt }}')}`;
    await play.run(lines, { script: writes('x.txt') });
    expect(play.read('show')).toBe('["x.txt"]["x.txt"]["x.txt"]');
  });

  test('a stage goes before an output of the same name', async () => {
    const lines = `stages:\n${AGENT('txt', FILE('md'))}${AGENT('b', FILE('txt'))}${show('is {{ outputs.txt }}')}`;
    await play.run(lines, { script: writes('x.md', 'y.txt') });
    expect(JSON.parse(play.read('show').slice(3))).toEqual({ md: ['x.md'] });
  });

  test('outputs.X is the latest activation', async () => {
    const view = await play.run(
      `stages:
  - { id: a, type: agent, agent: dev }
  - { id: again, type: gate, conditions: [{ check: file_exists, paths: ["2"] }], on_fail: { goto: a, max_iterations: 1 } }
${show('{{ outputs.a.turn }}')}`,
      {
        script: () => [
          { do: 'write', path: `${play.asked.length}`, text: '' },
          { do: 'answer', output: { turn: play.asked.length } },
        ],
      },
    );
    expect([view.status, play.read('show')]).toEqual(['completed', '2']);
  });

  test('outputs.X of a name that two stages produce is refused at its place', () => {
    expect(errorsOf(`stages:\n${AGENT('a', FILE('txt'))}${AGENT('b', FILE('txt'))}${show('{{ outputs.txt }}')}`)).toEqual([
      '7:84 NAME_AMBIGUOUS "txt" is an output of "a" and "b", so the name is ambiguous',
    ]);
    expect(errorsOf(`stages:\n${AGENT('a', FILE('txt'))}${AGENT('b', FILE('txt'))}${show('{{ outputs.b.txt }}')}`)).toEqual([]);
  });

  test('outputs.X of a branch is read with its place, and refused without', async () => {
    const lines = (path: string) => `stages:
  - { id: all, type: parallel, branches: [{ id: one, agent: dev, outputs: [${FILE('txt')}] }] }
${show(`{{ ${path} }}`)}`;
    expect(errorsOf(lines('outputs.txt'))).toEqual([
      '6:84 NAME_UNKNOWN "txt" is an output of a branch, so its stage and its branch must be named too',
    ]);
    await play.run(lines('outputs.all.one.txt | first'), { script: writes('x.txt') });
    expect(play.read('show')).toBe('x.txt');
  });

  test('outputs.X that was not produced is null, files an empty list, and nothing is required that does not say so', async () => {
    const outputs = `${FILE('txt')}, { name: doc, type: artifact, pattern: "*.md" }, { name: said, type: comment }, { name: pull, type: pr }`;
    const view = await play.run(
      `stages:\n${AGENT('a', outputs)}${show('{{ outputs.txt }}{{ outputs.doc == null and outputs.said == null and outputs.pull == null }}')}`,
    );
    expect([view.status, play.read('show')]).toEqual(['completed', '[]true']);
  });

  test.each([
    ['../*.txt', 'it leads out of the workspace'],
    ['src/../../x', 'it leads out of the workspace'],
    ['{a,..}/x', 'it leads out of the workspace'],
    ['/etc/passwd', 'it is absolute'],
  ])('F03: a pattern that leads outside is refused at its place: %s', (pattern, why) => {
    for (const type of ['file', 'artifact'])
      expect(
        errorsOf(
          `stages:\n  - id: a\n    type: command\n    run: "true"\n    outputs: [{ name: x, pattern: "${pattern}", type: ${type} }]\n`,
        ),
      ).toEqual([`8:35 FIELD_INVALID the pattern "${pattern}" of the output "x" cannot be used: ${why}`]);
  });
});

describe('gate.failed_checks, action.error and branches.*', () => {
  test.each([
    [
      'gate.failed_checks',
      'gate',
      '{ id: g, type: gate, conditions: [{ check: command, run: "true", env: { A: "{{ gate.failed_checks }}" } }] }',
    ],
    ['gate.failed_checks', 'gate', '{ id: g, type: gate, condition: "gate.passed", conditions: [{ check: command, run: "true" }] }'],
    [
      'gate.failed_checks',
      'gate',
      '{ id: g, type: gate, conditions: [{ check: command, run: "true" }], on_fail: { notify: { target: ann, message: "{{ gate.x }}" } } }',
    ],
    [
      'action.error',
      'action',
      '{ id: g, type: command, run: "true", on_failure: { goto: g, max_iterations: 1, context: { a: "{{ action.error }}" } } }',
    ],
    ['branches', 'parallel', '{ id: g, type: command, run: "true", env: { A: "{{ branches.*.x }}" } }'],
  ])('%s exists only in the context of transitions of its own stage', (name, type, stage) => {
    const root = name.split('.')[0];
    expect(errorsOf(`stages:\n  - ${stage}\n`)).toEqual([
      `5:${5 + stage.indexOf(root === 'gate' ? 'gate.' : `${root}.`)} NAME_UNKNOWN "${root}" exists only in the context of a transition of a ${type} stage`,
    ]);
  });

  test('gate.failed_checks tells each check that failed, in file order', async () => {
    await play.run(`
stages:
  - id: g
    type: gate
    conditions: [{ check: command, run: exit 3 }, { check: command, run: "true" }, { check: file_exists, paths: [README.md] }]
    on_fail: { goto: show, context: { why: "{{ gate.failed_checks }}" } }
${show('is {{ why }}')}`);
    expect(JSON.parse(play.read('show').slice(3))).toEqual([expect.stringContaining('exit 3'), expect.stringContaining('README.md')]);
  });

  test('action.error is what the forge said', async () => {
    await play.run(`
stages:
  - { id: merge, type: action, action: merge_pr, on_error: { goto: show, context: { why: "{{ action.error }}" } } }
${show('{{ why }}')}`);
    expect(play.read('show')).toContain('no forge is configured');
  });

  const REVIEW = (path: string) => `
stages:
  - id: review
    type: parallel
    branches:
      - { id: one, agent: dev }
      - { id: two, agent: dev, condition: "false" }
      - { id: three, agent: dev }
      - { id: four, agent: dev }
    on_any_reject: { goto: show, context: { seen: "{{ ${path} }}" } }
${show('is {{ seen }}')}`;
  const REVIEWS: Readonly<Record<string, ScriptedMove>> = {
    'review/one': { do: 'answer', verdict: 'reject', output: { feedback: 'first', findings: [{ file: 'a' }] } },
    'review/three': { do: 'answer', output: { note: 'nothing' } },
    'review/four': { do: 'answer', verdict: 'approve', output: { feedback: 'last' } },
  };
  const script: PlayOptions['script'] = ({ step }) => [REVIEWS[step] ?? REVIEWS[`review/${step}`] ?? { do: 'answer' }];

  test.each([
    ['branches.*.feedback', ['first', 'last']],
    ['branches.*.findings', [[{ file: 'a' }]]],
    ['branches.one.feedback', 'first'],
  ])('%s is in file order, without branches that were skipped or lack the field', async (path, seen) => {
    await play.run(REVIEW(path), { script });
    const text = play.read('show').slice(3);
    expect(Array.isArray(seen) ? JSON.parse(text) : text).toEqual(seen);
  });

  // An agent step keeps the verdict as the outcome and as its claim; its output has only what the agent produced.
  test('a review result has a verdict', async () => {
    await play.run(REVIEW('branches.*.verdict'), { script });
    expect(JSON.parse(play.read('show').slice(3))).toEqual(['reject', 'approve']);
  });
});

describe('Text', () => {
  const VALUES = 'context: { o: { a: [true], n: null }, one: "1" }\n';

  test.each([
    ['is {{ context.o }}', 'is {"a":[true],"n":null}'],
    ['{{ context.o.a }}!', '[true]!'],
    ['{{ 1 == context.one }} {{ context.o.n == null }} {{ context.o.n == 0 }}', 'false true false'],
  ])('%s becomes %s', async (text, becomes) => {
    expect(await shown(text, VALUES)).toBe(becomes);
  });

  // steps/worker/program.ts makes a text of a value with String().
  test('a variable that is one template of a list is JSON', async () => {
    expect(await shown('{{ context.o.a }}', VALUES)).toBe('[true]');
  });

  // definition/scope/scope.ts takes a null among the run's data for a name that is not there.
  test('null in the context is a value', async () => {
    expect(await shown('{{ context.n == null }}', 'context: { n: null }\n')).toBe('true');
  });

  test('null inside of a longer text is an error', async () => {
    expect(await shown('a {{ context.o.n }}', VALUES)).toMatch(/^escalated: .*null/);
  });

  test('a value that is one template keeps its type', async () => {
    const view = await play.run(
      `context: { list: [1, 2] }\nstages: [{ id: a, type: agent, agent: dev, context: { all: "{{ context.list }}", text: "{{ context.list }}!" } }]`,
    );
    expect(view.status).toBe('completed');
    expect(play.asked[0]?.context).toMatchObject({ all: [1, 2], text: '[1,2]!' });
  });
});

describe('Context propagation', () => {
  let stage: LocalForgeStage;
  beforeEach(async () => {
    stage = await openLocalForgeStage();
  });
  afterEach(async () => {
    await play.rig.close();
    await stage.close();
  });

  /** The seed's own file up to its third stage, which completes the run. */
  function firstStages() {
    const text = readFileSync(join(import.meta.dirname, '002/feature-development.yaml'), 'utf8');
    const [three = ''] = text.split('  # ── Stage 4');
    const { compiled, errors } = checkYaml('w.yaml', three.replace('on_pass: documentation', 'on_pass: complete'), REGISTRY);
    if (compiled === undefined) throw new Error(JSON.stringify(errors));
    return compiled;
  }

  function program(name: string, script: string): void {
    const file = join(play.rig.directory, '.git', 'bin', name);
    mkdirSync(join(file, '..'), { recursive: true });
    play.write(join('.git', 'bin', name), `#!/bin/sh\n${script}\n`);
    chmodSync(file, 0o755);
  }

  const MOVES: Readonly<Record<string, readonly ScriptedMove[]>> = {
    research: [{ do: 'answer', output: { comment: 'First the index, then the search.' } }],
    implement: ['src/foo.py', 'src/bar.py', 'tests/test_foo.py'].map((path) => ({ do: 'write', path, text: path })),
  };

  test("after the first three stages of the seed's file, it is what the seed shows", async () => {
    execFileSync('git', ['init', '--quiet', play.rig.directory]);
    const lines = [1, 2, 3, 4, 5, 6, 7, 8].map((n) => `DA:${n},${n === 8 ? 0 : 1}\\n`).join('');
    program('pytest', `[ "$*" = "tests/ -x" ] && printf 'SF:src/foo.py\\n${lines}end_of_record\\n' > lcov.info && touch .git/tested`);
    program('ruff', '[ "$*" = "check src/" ]');
    for (let number = 1; number <= 42; number += 1)
      valueIn(await stage.forge.createIssue({ title: `${number}`, body: '', labels: [] }, `k${number}`));
    // The tests take 45 seconds: the clock stands still but for them.
    const still = createVirtualClock(Date.now());
    const clock = { ...still, now: () => still.now() + (existsSync(play.rig.path('.git/tested')) ? 45_000 : 0) };
    const { run, engine } = await play.start(firstStages(), {
      clock,
      forge: stage.forge,
      env: { PATH: `${play.rig.path('.git/bin')}:${process.env.PATH}` },
      roles: { 'feat-dev': { driver: 'scripted' } },
      script: ({ step }) => MOVES[step] ?? [],
      facts: { $trigger: { issue: { number: 42, title: 'Search' } }, $config: { project: { default_branch: 'main' } } },
    });
    const view = await run.wait();
    expect(storyOf(view)).toEqual(['completed', 'research#1 ok', 'implement#1 ok', 'test#1 ok']);
    const [comment] = valueIn(await stage.forge.comments(42));
    const data = Object.fromEntries(await engine.store.data(run.id, ['issue_number', 'issue_title', 'base_branch']));
    expect(data).toEqual({ issue_number: 42, issue_title: 'Search', base_branch: 'main' });
    expect(outputOf(view, 'research')).toEqual({ implementation_plan: `comment:${comment?.id}` });
    expect(outputOf(view, 'implement')).toEqual({ code_changes: ['src/bar.py', 'src/foo.py'], tests: ['tests/test_foo.py'] });
    expect(outputOf(view, 'test')).toMatchObject({ passed: true, coverage: 87.5, duration: '45s' });
  });
});
