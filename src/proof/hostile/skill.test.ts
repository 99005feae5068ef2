import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { arg, defineSkill, type Skill, type SkillStep } from '../../skills/index.ts';
import { attackSkill } from './skill.ts';

const step = (id: string, more: object): SkillStep => ({ id, title: id, actions: ['Do it.'], ...more }) as SkillStep;
const attack = (steps: readonly SkillStep[], others: readonly SkillStep[] = []) => {
  const params = { folder: arg({ type: 'string', default: 'out' }), test: arg({ type: 'string', default: 'npm test' }) };
  const skillNamed = () => (others.length === 0 ? undefined : defineSkill({ name: 'other', description: 'Other.', steps: others }));
  return attackSkill(defineSkill({ name: 'one', description: 'One.', params, steps }), { skillNamed });
};

test('a step with documents or changes is enforced: every agent that cheats is rejected', () => {
  const contracts = [
    { documents: [{ path: '{folder}/a.md' }] },
    { documents: [{ path: 'a.md', sections: ['Scope', { title: 'Risks', minItems: 2 }], ids: { pattern: 'R-\\d+', min: 1 } }] },
    { documents: [{ path: 'a.json', json: { type: 'object', properties: { why: { type: 'string' } }, required: ['why'] } }] },
    { changes: ['src/**'] },
  ];
  const { steps, share } = attack(contracts.map((contract, index) => step(`s${index}`, { contract })));
  expect(steps.flatMap(({ undetected: believed }) => believed)).toEqual([]);
  expect(share).toBe(1);
});

test.each([
  ['that says why nothing can be checked', { advisory: 'it is talk' }, 'it is talk'],
  [
    'with only a command, which may pass without any work',
    { contract: { command: '{test}' } },
    'nothing about it is checked but what its agent reports',
  ],
  [
    'with only a report, which can be made up',
    { contract: { report: { type: 'object' } } },
    'nothing about it is checked but what its agent reports',
  ],
])('a step %s is advised', (_, more, why) => {
  const { steps, enforced } = attack([step('a', more)]);
  expect([enforced, steps[0]?.why, steps[0]?.undetected.includes('skips')]).toEqual([0, why, true]);
});

test('a step of sub-agents is enforced if all of their steps are', () => {
  const sent = step('send', { dispatch: { agent: 'explore', skill: 'other', returns: 100 } });
  expect(attack([sent], [step('a', { contract: { changes: ['src/**'] } })]).share).toBe(1);
  expect(attack([sent], [step('a', { advisory: 'talk' })]).share).toBe(0);
});

test('the report has a line per step and the share', () => {
  const { report } = attack([step('a', { contract: { documents: [{ path: 'a.md' }] } }), step('b', { advisory: 'it is talk' })]);
  expect(report()).toBe(
    [
      'one: 1 of 2 steps enforced',
      '  enforced   1  a  a.md: it is missing; write it',
      '  advised    2  b  it is talk (believed: skips, empties, holds-places, repeats-titles, copies, reuses)',
    ].join('\n'),
  );
});

test('over the skills that Pawl ships, at least 90 % of the steps are enforced', async () => {
  const folder = new URL('../../skills/catalogue/', import.meta.url);
  const names = readdirSync(folder, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
  const load = async (name: string) => ((await import(`${folder.href}${name}/skill.ts`)) as { default: Skill }).default;
  const skills = new Map(await Promise.all(names.map(async (name) => [name, await load(name)] as const)));
  const all = [...skills.values()].map((skill) => attackSkill(skill, { skillNamed: (name) => skills.get(name) }));
  const [enforced, total] = [
    all.flatMap(({ steps }) => steps).filter((one) => one.enforced).length,
    all.flatMap(({ steps }) => steps).length,
  ];
  expect(enforced / total).toBeGreaterThanOrEqual(0.9);
});
