import { expect, test } from 'vitest';
import { arg, defineSkill, formatQrBanner, gateConfig, renderStep, runSkill } from './index.ts';

const skill = defineSkill({
  name: 'one',
  description: 'One.',
  params: { depth: arg({ min: 1, max: 3, default: 1 }), topic: arg({ type: 'string', default: '' }) },
  steps: [
    { id: 'work', title: 'Work', iterates: true, actions: ({ params, qr }) => [`Depth ${params.depth} of ${params.topic}, ${qr.failed}.`] },
    { id: 'review', title: 'Review', actions: ({ qr }) => [formatQrBanner({ qr, qrName: 'R' })] },
    { id: 'gate', title: 'Gate', gate: gateConfig({ qrName: 'R', workStep: 1, passStep: null, passMessage: 'ok', selfFix: true }) },
  ],
});

function run(...argv: string[]): { code: number; out: string; err: string } {
  let out = '';
  let err = '';
  const code = runSkill(skill, argv, {
    script: 'node skill.js',
    print: (text) => {
      out += text;
    },
    printError: (text) => {
      err += text;
    },
  });
  return { code, out, err };
}

test('a program prints the step that its arguments name, with a flag per parameter', () => {
  const { code, out } = run(
    '--step',
    '1',
    '--total-steps=3',
    '--depth',
    '2',
    '--topic=a b',
    '--confidence',
    'high',
    '--qr-iteration',
    '2',
    '--qr-fail',
  );
  expect(code).toBe(0);
  expect(out).toContain('Depth 2 of a b, true.');
  expect(out).toContain(`<NEXT>node skill.js --step 2 --total-steps 3 --depth 2 --topic 'a b' --qr-iteration 2 --qr-fail</NEXT>`);
  expect(run('--step', '3', '--qr-fail=false', '--qr-status', 'pass').out).toContain('COMPLETE');
  expect(run('--step', '2', '--format', 'text').out).toBe(renderStep(skill, { step: 2 }, { script: 'node skill.js', format: 'text' }));
});

test('a visit beyond the last one is the last one', () => {
  const sixth = run('--step', '1', '--confidence', 'low', '--iteration', '6');
  expect(sixth).toEqual(run('--step', '1', '--confidence', 'low', '--iteration', '5'));
  expect(sixth.out).toContain('<NEXT>node skill.js --step 2 ');
});

test.each([
  [[], '--step is missing'],
  [['--step', '9'], 'ERROR: Invalid step 9'],
  [['--step', 'x'], 'ERROR: Invalid step x'],
  [['--step'], 'option "--step" needs a value'],
  [['--step', '1', '--step', '1'], 'may be given only once'],
  [['--step', '1', '--total-steps', '2'], 'give --total-steps 3'],
  [['--step', '1', '--dept', '2'], 'did you mean "--depth"'],
  [['--step', '1', '--depth', '9'], 'depth'],
  [['--step', '1', '--confidence', 'sure'], 'must be one of exploring, low, medium, high, certain'],
  [['--step', '1', '--iteration', '0'], '--iteration must be a whole number from 1'],
  [['--step', '1', '--format', 'yaml'], '--format must be one of xml, text, json'],
  [['step'], 'unknown option "step"'],
])('the arguments %j are invalid: exit code 2, and nothing on stdout', (argv, message) => {
  const { code, out, err } = run(...argv);
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err).toContain(message);
});

test('if a parameter is missing, the message names its option', () => {
  const strict = defineSkill({
    name: 'strict',
    description: 'Strict.',
    params: { topic: arg({ type: 'string', required: true }) },
    steps: [{ id: 'work', title: 'Work', actions: ['Work.'] }],
  });
  let err = '';
  const printError = (text: string): void => {
    err += text;
  };
  expect(runSkill(strict, ['--step', '1'], { script: 'node skill.js', print: () => undefined, printError })).toBe(2);
  expect(err).toContain('"topic" is missing; it must be a string; add --topic VALUE');
});
