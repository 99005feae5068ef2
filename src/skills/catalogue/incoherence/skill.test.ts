import { expect, test } from 'vitest';
import { describeSkill } from '../../../../test/skills/describe-skill.ts';
import { renderStep, type SkillWorkStep } from '../../index.ts';
import skill from './skill.ts';

describeSkill(skill, {
  folder: import.meta.dirname,
  steps: [
    '1 scope "Scope" → 2',
    '2 dimensions "What to Compare" → 3',
    '3 claims-documents "Claims of Specification and Documents" → 4',
    '4 claims-configuration "Claims of Configuration, Schemas and Messages" → 5',
    '5 claims-comments "Claims of Comments and Tests" → 6',
    '6 facts "What the Code Does" → 7',
    '7 cross-check "Sources Against Each Other" → 8',
    '8 reverse "From the Code Back" → 9',
    '9 runs "Run What Can Be Run" → 10',
    '10 candidates "Candidates" → 11',
    '11 refutation "Refutation" → 12, 21',
    '12 findings "Findings" → 13',
    '13 questions "Prepare the Decisions" → 14',
    '14 decisions "The Person Decides" → 15',
    '15 resolutions "Resolutions" → 16, 21',
    '16 places "Every Place That Says It" → 17',
    '17 changes "Apply" → 18',
    '18 leftovers "Search Again" → 19',
    '19 checks "Checks" → 20',
    '20 verification "Verification" → 21',
    '21 report "Report" → end',
  ],
  golden: {
    refutation: { step: 11 },
    'the-person-decides': { step: 14, params: { folder: 'audit' } },
  },
});

const work = skill.steps as readonly SkillWorkStep[];
const documentsOf = ({ contract }: SkillWorkStep) => contract?.documents ?? [];

test('steps that find, confirm and settle a contradiction need real quotations of both sides', () => {
  const quotes = Object.fromEntries(work.flatMap((step) => documentsOf(step).map((document) => [step.id, document.quotes])));
  expect(quotes).toMatchObject({ candidates: 2, findings: 2, verification: 2 });
});

test('a search that finds nothing ends with a report, and so does one that changes nothing', () => {
  const command = (step: number) => /<if_fail>.* --step (\d+) /.exec(renderStep(skill, { step }, { script: 'x' }))?.[1];
  expect(command(11)).toBe('21');
  expect(command(15)).toBe('21');
  // The report is reached without the documents of 12 to 20, so it refers to none of them.
  expect(
    work
      .slice(20)
      .flatMap(documentsOf)
      .flatMap(({ references = [] }) => references),
  ).toEqual([]);
});

test('the agents that refute and verify did not do the work', () => {
  expect(work.filter(({ fresh }) => fresh === true).map(({ id }) => id)).toEqual(['refutation', 'verification']);
});

test('every finding is decided, resolved and verified', () => {
  const all = work.filter((step) =>
    documentsOf(step).some(({ references = [] }) => references.some((one) => one.all && one.to.includes('12-'))),
  );
  expect(all.map(({ id }) => id)).toEqual(['questions', 'decisions', 'resolutions', 'verification']);
});

test('the check of the project is the command that was given', () => {
  expect(work[18]?.contract?.command).toBe('{test}');
  expect(renderStep(skill, { step: 19, params: { test: 'make check' } }, { script: 'x' })).toContain('Run make check, and');
  expect(renderStep(skill, { step: 19 }, { script: 'x' })).toContain('Find the checks of this project');
});
