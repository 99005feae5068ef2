import { describe, expect, test } from 'vitest';
import { cpuTimeMs } from '../../../test/cpu-time.ts';
import { readStepOutput } from './step-output.ts';

const REPORT = '{"success": true, "result": {"n": 1}}';

describe('valid reports', () => {
  test.each<[string, string, object]>([
    ['alone', REPORT, { success: true, result: { n: 1 } }],
    ['after other text', `building…\n{ not json }\n{"level": "info"}\n${REPORT}\n\n`, { success: true, result: { n: 1 } }],
    [
      'over several lines',
      JSON.stringify({ success: false, error: 'no }{ "disk"', result: [{ a: '\\"' }] }, null, 2),
      { success: false, error: 'no }{ "disk"', result: [{ a: '\\"' }] },
    ],
    [
      'with all fields',
      '{"success":true,"postconditionsPassed":true,"nextStepHint":"b"}',
      { success: true, postconditionsPassed: true, nextStepHint: 'b' },
    ],
    ['with absent fields written as null', '{"success":true,"error":null,"result":null}', { success: true, result: null }],
    ['with Windows line ends', `x\r\n${REPORT}\r\n`, { success: true, result: { n: 1 } }],
    ['after a line that opens a brace and never closes it', `{ "a quote\n${REPORT}`, { success: true, result: { n: 1 } }],
  ])('a StepOutput is read: %s', (_how, stdout, output) => {
    expect(readStepOutput(stdout)).toEqual({ kind: 'reported', output });
  });

  test('keys of the language stay data', () => {
    const reading = readStepOutput('{"success": true, "result": {"__proto__": {"x": 1}}}');
    expect(JSON.stringify(reading)).toContain('"__proto__":{"x":1}');
  });
});

describe('invalid reports', () => {
  test.each<[string, string, string]>([
    ['cut off', '{"success": true, "result": {"n":', 'cut off'],
    ['cut off over lines', '{\n  "success": true,\n  "result": [', 'cut off'],
    ['malformed', '{"success": true,}', 'not JSON'],
    ['doubled', `${REPORT}\n${REPORT}`, 'more than one'],
    ['doubled on one line', `${REPORT}${REPORT}`, 'there is output after it'],
    ['two that contradict each other', '{"success": false}\n{"success": true}', 'more than one'],
    ['the first cut off', `{"success": true, "result": {\n${REPORT}`, 'cut off'],
    ['text after it', `{"success": false, "error": "x"}\nnpm notice New version`, 'there is output after it'],
    ['success that is no boolean', '{"success": "yes"}', '"success" must be a boolean, not a string'],
    ['success that is null', '{"success": null}', '"success" must be a boolean, not null'],
    ['an error that is no text', '{"success": false, "error": {"a": 1}}', '"error" must be a string, not an object'],
    ['an unknown field', '{"success": true, "chapters": []}', 'unknown field "chapters"'],
    ['behind a prompt', `Result: ${REPORT}`, 'does not start at the beginning of a line'],
  ])('an invalid StepOutput is rejected: %s', (_how, stdout, why) => {
    expect(readStepOutput(stdout)).toEqual({ kind: 'invalid', why: expect.stringContaining(why) });
  });
});

test.each([
  ['nothing', ''],
  ['plain text', 'all 3 tests pass\n'],
  ['JSON of another kind', '{"level":"info"}\n{"total": 3}'],
  ['a list', '[{"success": true}]'],
  ['the word alone', 'success: true'],
])('%s is not a report', (_what, stdout) => {
  expect(readStepOutput(stdout)).toEqual({ kind: 'none' });
});

test('thousands of braces are parsed in time, and the report after them is found', () => {
  const startedMs = cpuTimeMs();
  expect(readStepOutput(`${'{"\n'.repeat(200_001)}${REPORT}`)).toMatchObject({ kind: 'reported' });
  expect(readStepOutput('{"a": 1}\n'.repeat(200_000))).toEqual({ kind: 'none' });
  expect(cpuTimeMs() - startedMs).toBeLessThan(2000);
});
