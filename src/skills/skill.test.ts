import { expect, test } from 'vitest';
import { defineWorkflow } from '../index.ts';
import {
  arg,
  branchRouting,
  defineSkill,
  type GateConfig,
  gateConfig,
  linearRouting,
  type SkillSpec,
  type SkillStep,
  skillWorkflow,
  terminalRouting,
} from './index.ts';

const step = (id: string, more: object = {}): SkillStep => ({ id, title: id, actions: [id], ...more }) as SkillStep;
const spec = (steps: readonly SkillStep[], more: Partial<SkillSpec> = {}): SkillSpec => ({
  name: 'one',
  description: 'One.',
  steps,
  ...more,
});

test('a skill is frozen, and has its number of steps', () => {
  const skill = defineSkill(spec([step('a'), step('b')]));
  expect(skill.totalSteps).toBe(2);
  expect(() => ((skill as { name: string }).name = 'x')).toThrow(TypeError);
  expect(() => (skill.steps as SkillStep[]).push(step('c'))).toThrow(TypeError);
});

const gate = (workStep: number, passStep: number | null): GateConfig =>
  gateConfig({ qrName: 'R', workStep, passStep, passMessage: 'ok', selfFix: true });

test.each<[string, SkillSpec, string]>([
  ['no steps', spec([]), 'it has no steps'],
  ['a name in capitals', spec([step('a')], { name: 'One' }), 'must be lower case letters, digits and single hyphens'],
  ['a name that is too long', spec([step('a')], { name: 'a'.repeat(65) }), 'has 65 characters; at most 64'],
  ['a description that is too long', spec([step('a')], { description: 'a'.repeat(1025) }), 'has 1025 characters; at most 1024'],
  ['no description', spec([step('a')], { description: ' ' }), 'the description is empty'],
  ['two steps with one id', spec([step('a'), step('a')]), 'step 1 has the id "a" too'],
  ['a misspelt field of a step', spec([step('a', { contarct: {} })]), 'step 1: there is no field "contarct" (did you mean "contract"?)'],
  ['an unknown field of the skill', spec([step('a')], { parts: [] } as object), 'there is no field "parts"'],
  ['no title', spec([step('a', { title: ' ' })]), 'step 1: it has no title'],
  ['a parameter with the name of a flag', spec([step('a')], { params: { iteration: arg({ default: 1 }) } }), 'has the name of a flag'],
  ['a target that does not exist', spec([step('a', { routing: branchRouting({ ifPass: 2, ifFail: 7 }) }), step('b')]), 'leads to step 7'],
  ['a step that nothing leads to', spec([step('a', { routing: terminalRouting() }), step('b')]), 'no step leads to step 2'],
  ['no end', spec([step('a'), step('b', { routing: linearRouting({ to: 1 }) })]), 'no step ends it'],
  [
    'a gate that leads forward',
    spec([step('a'), { id: 'g', title: 'G', gate: gate(3, null) }, step('c')]),
    'must lead back to an earlier step',
  ],
  ...(['qrName', 'workStep', 'passStep', 'passMessage', 'selfFix'] as const).map((field): [string, SkillSpec, string] => {
    const { [field]: _left, ...rest } = gate(1, null);
    return [`a gate without ${field}`, spec([step('a'), { id: 'g', title: 'G', gate: rest as GateConfig }]), `its gate needs "${field}`];
  }),
])('a skill with %s is rejected', (_what, wrong, message) => {
  expect(() => defineSkill(wrong)).toThrow(message);
});

test('a routing function is checked for every value of the parameters', () => {
  const params = { mode: arg({ choices: ['quick', 'full'], default: 'full' }) };
  const routing = ({ params: { mode } }: { params: Readonly<Record<string, unknown>> }) => linearRouting({ to: mode === 'quick' ? 9 : 2 });
  expect(() => defineSkill(spec([step('a', { routing }), step('b')], { params }))).toThrow('step 1 leads to step 9');
});

test('a skill is a workflow whose steps have its instructions', () => {
  const skill = defineSkill(
    spec(
      [
        step('look', { actions: ({ params }: { params: Readonly<Record<string, unknown>> }) => [`Look at ${params.topic}.`] }),
        step('judge', { routing: branchRouting({ ifPass: 4, ifFail: 3 }) }),
        step('mend'),
        step('end'),
      ],
      { params: { topic: arg({ default: 'it' }) } },
    ),
  );
  const workflow = defineWorkflow({ ...skillWorkflow(skill), name: 'one' });
  expect(workflow.stepOrder).toEqual(['look', 'judge', 'mend', 'end']);
  expect(workflow.stepOutput('look', { topic: 'this' })).toEqual({ title: 'look', actions: ['Look at this.'], nextCommand: 'next: judge' });
  const next = (id: string) => workflow.steps.find((one) => one.id === id)?.next;
  expect(next('judge')).toMatchObject({ ok: { to: { step: 'end' } }, fail: { to: { step: 'mend' } }, reject: { to: { step: 'mend' } } });
});

test('the instructions of a run contain what a skill does, but not when to use it', () => {
  const description = 'Plans a change. Use it when somebody asks for a plan. Invoke it immediately.';
  expect(skillWorkflow(defineSkill(spec([step('a')], { description }))).description).toBe('Plans a change.');
});
