// A quality review ends: items are verified one by one by reviewers that know nothing of earlier verdicts, the engine
// decides what stops the work, and after the last round a person does.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createScriptedDriver } from '../../src/agents/scripted.ts';
import type { AnyWorkflow } from '../../src/api/engine-options.ts';
import { checkYaml } from '../../src/authoring/yaml/check/check.ts';
import type { Json, JsonObject } from '../../src/base/json.ts';
import { defineWorkflow, step, workflow } from '../../src/index.ts';
import { REGISTRY } from '../../src/kinds/registry.ts';
import { createRig, type Rig } from './rig.ts';

let rig: Rig;
let asked: { readonly step: string; readonly prompt: string }[];
/** What is right about the work. */
let fixed: Set<string>;
beforeEach(() => {
  rig = createRig();
  asked = [];
  fixed = new Set();
});
afterEach(() => rig.close());

const item = (id: string, severity = 'MUST') => ({ id, severity, question: `Is ${id} right?` });
const ITEMS = [item('tests'), item('names', 'COULD')];
const prompts = (id: string) => asked.filter((one) => one.step === id).map(({ prompt }) => prompt);

interface Script {
  readonly split?: (time: number) => Json;
  readonly verify?: (id: string, time: number) => JsonObject;
  readonly fix?: (time: number) => void;
}

const verdict = (id: string) => ({ status: fixed.has(id) ? 'pass' : 'fail', evidence: `looked at ${id}` });

function agents({ split = () => ({ items: ITEMS }), verify = verdict, fix = () => fixed.add('tests').add('names') }: Script = {}) {
  const times = new Map<string, number>();
  const driver = createScriptedDriver(({ step: id, prompt }) => {
    asked.push({ step: id, prompt });
    const about = id === 'verify' ? (/"id": "([\w-]+)"/.exec(prompt)?.[1] ?? '') : id;
    const time = (times.get(about) ?? 0) + 1;
    times.set(about, time);
    if (id === 'fix') fix(time);
    return [{ do: 'answer', output: id === 'split' ? split(time) : id === 'verify' ? verify(about, time) : { done: true } }];
  });
  return { roles: { reviewer: { driver: 'scripted' }, developer: { driver: 'scripted' } }, drivers: { scripted: driver } };
}

const graph = (more: object = {}) =>
  defineWorkflow({
    name: 'ship',
    steps: {
      quality: { review: { subject: 'the work', reviewer: 'reviewer', fixer: 'developer', ...more }, next: 'done' },
      done: { handler: (ctx) => ctx.results.quality?.output, next: null },
    },
  });

async function start(definition: AnyWorkflow, script: Script = {}) {
  const engine = await rig.open(agents(script));
  return { engine, run: await engine.start(definition, {} as never) };
}

async function ended(definition: AnyWorkflow, script: Script = {}) {
  const { run } = await start(definition, script);
  return { view: await run.wait() };
}

const result = (view: { readonly steps: readonly { readonly step: string; readonly output?: unknown }[] }) =>
  view.steps.findLast(({ step: id }) => id === 'quality')?.output;

describe('a review', () => {
  test('a review is split once, verified item by item, fixed, and verified again', async () => {
    const { view } = await ended(graph());
    expect(view.status).toBe('completed');
    expect(result(view)).toEqual({ accepted: 'by the review', rounds: 2, items: ITEMS, open: [], follow_ups: [], history: [2, 0] });
    expect(asked.map((one) => one.step)).toEqual(['split', 'verify', 'verify', 'fix', 'verify', 'verify']);
  });

  test('a review tells its reviewers one item and the round, and never an earlier verdict', async () => {
    await ended(graph({ name: 'Plan Review' }));
    const [first, , third] = prompts('verify');
    expect(first).toContain('PLAN REVIEW: Review the work for issues.');
    expect(third).toContain('PLAN REVIEW (Iteration 2, fresh review): Previous review found issues.');
    for (const prompt of prompts('verify')) {
      expect(prompt).toContain('The review is about: the work');
      expect(prompt.match(/Is \w+ right\?/g)).toHaveLength(1);
      expect(prompt).not.toContain('looked at');
    }
  });

  test('a review tells the fixing agent what stops the work, with the evidence', async () => {
    await ended(graph());
    expect(prompts('fix')[0]).toContain('looked at tests');
  });

  test('a review takes fixed items, and then needs no agent that splits the work', async () => {
    const { view } = await ended(graph({ items: [item('tests')] }));
    expect(asked.map((one) => one.step)).toEqual(['verify', 'fix', 'verify']);
    expect(result(view)).toMatchObject({ rounds: 2, items: [item('tests')] });
  });

  test('a review sends items back that cannot be verified, with what is wrong about them', async () => {
    const { view } = await ended(graph(), { split: (time) => ({ items: time === 1 ? [item('a'), item('a')] : ITEMS }) });
    expect(view.status).toBe('completed');
    expect(prompts('split')[1]).toContain('two items have the id "a"');
  });

  test('a review stops the work for a late MUST, and leaves a late SHOULD for later', async () => {
    const late = [
      { severity: 'MUST', text: 'The key is printed.' },
      { severity: 'SHOULD', text: 'A name is long.' },
    ];
    const { view } = await ended(graph({ items: [item('tests')] }), {
      verify: (id, time) => ({ status: 'pass', evidence: id, ...(id === 'tests' && time === 1 ? { findings: late } : {}) }),
    });
    expect(result(view)).toMatchObject({
      rounds: 2,
      history: [1, 0],
      items: [item('tests'), { id: 'late-1-1', severity: 'MUST', question: 'The key is printed.' }],
      follow_ups: [{ severity: 'SHOULD', text: 'A name is long.' }],
    });
  });

  test('a review lets findings that are not severe pass in the third round', async () => {
    const { view } = await ended(graph(), { fix: () => fixed.add('tests') });
    expect(result(view)).toMatchObject({ rounds: 3, history: [2, 1, 0], follow_ups: [{ id: 'names', severity: 'COULD' }] });
  });
});

describe('after the last round', () => {
  const never = { fix: () => undefined };
  const exhausted = async () => {
    const { engine, run } = await start(graph({ rounds: 2 }), never);
    await run.wait('idle');
    const [child] = (await engine.list()).filter(({ id }) => id !== run.id);
    const review = engine.run(child?.id ?? '');
    await review.wait('idle');
    return { run, review };
  };

  test('a person is asked, with the list', async () => {
    const { run, review } = await exhausted();
    expect((await run.get()).status).toBe('waiting');
    expect(prompts('fix')).toHaveLength(1);
    expect(JSON.stringify(await review.approvals())).toContain('looked at tests');
  });

  test.each([
    ['accept', 'completed', { accepted: 'by a person', rounds: 2, open: [{ id: 'tests' }, { id: 'names' }] }],
    ['stop', 'rejected', null],
  ])('%s ends the run as %s', async (option, status, output) => {
    const { run, review } = await exhausted();
    await review.decide({ option, actor: 'ann' });
    const view = await run.wait();
    expect(view.status).toBe(status);
    if (output !== null) expect(result(view)).toMatchObject(output);
  });

  test('"again" is one more round', async () => {
    const { review } = await exhausted();
    await review.decide({ option: 'again', actor: 'ann' });
    expect(await review.wait('idle')).toMatchObject({ status: 'waiting', currentStep: 'decide' });
    expect(prompts('fix')).toHaveLength(2);
  });
});

describe('every spelling gives the same review', () => {
  test('a workflow file', async () => {
    const { compiled, errors } = checkYaml(
      'ship.yaml',
      `apiVersion: pawl.dev/v1
kind: Workflow
metadata: { name: ship }
params: { what: { type: string, default: the work } }
stages:
  - id: quality
    type: review
    subject: "{{ params.what }}"
    reviewer: { agent: reviewer, prompt: "Look at {{ params.what }} twice." }
    fixer: developer
    on_complete: complete
`,
      REGISTRY,
    );
    expect(errors).toEqual([]);
    const { view } = await ended(compiled as AnyWorkflow);
    expect(result(view)).toMatchObject({ accepted: 'by the review', rounds: 2 });
    expect(prompts('verify')[0]).toContain('The review is about: the work');
    expect(prompts('verify')[0]).toContain('Look at the work twice.');
  });

  test('a flow', async () => {
    const flow = workflow('ship', function* () {
      const reviewed = yield* step('quality').review({ subject: 'the work', reviewer: 'reviewer', fixer: 'developer' });
      return { rounds: reviewed.rounds, open: reviewed.open.length };
    });
    const { view } = await ended(flow);
    expect(view.output).toEqual({ rounds: 2, open: 0 });
  });
});
