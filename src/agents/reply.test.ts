import { describe, expect, test } from 'vitest';
import { cpuTimeMs } from '../../test/cpu-time.ts';
import { readReply, replyInstructions } from './reply.ts';

const question = { question: 'Which?', options: ['a', 'b'] };
const asking = (list: unknown): string => `<needs_user_input>\n${JSON.stringify(list)}\n</needs_user_input>`;

describe('replies', () => {
  test.each<[string, string]>([
    ['alone', '{"success": true, "output": {"a": 1}}'],
    ['after prose', 'I did it.\n\n{"success": true, "output": {"a": 1}}\n'],
    ['in a fence', 'Done:\n```json\n{"success": true, "output": {"a": 1}}\n```\n'],
    ['over several lines', '{\n  "success": true,\n  "output": {\n    "a": 1\n  }\n}'],
    ['after another object', '{"plan": 1}\n{"success": true, "output": {"a": 1}}'],
  ])('a reply is the object at the end: %s', (_where, text) => {
    expect(readReply(text)).toEqual({ kind: 'reply', reply: { success: true, output: { a: 1 } } });
  });

  test('a reply has a null output if it has none', () => {
    expect(readReply('{"success": false, "message": "no disk"}')).toEqual({
      kind: 'reply',
      reply: { success: false, output: null, message: 'no disk' },
    });
  });

  test.each<[string, string, string]>([
    ['only prose', 'All tests pass, I am done.', 'no JSON object'],
    ['cut off', '{"success": true, "output": {"a": 1', 'truncated'],
    ['doubled', '{"success": true}\n{"success": true}', 'more than one'],
    ['followed by words', '{"success": true}\nHope that helps!', 'text after the JSON'],
    ['not JSON', '{success: true}', 'not valid JSON'],
    ['another object', '{"ok": true}', 'unknown field "ok"'],
    ['a word for success', '{"success": "yes"}', '"success" must be'],
    ['an unknown verdict', '{"success": true, "verdict": "PASS"}', '"verdict" must be'],
    ['empty', '', 'no JSON object'],
  ])('a reply is never guessed: %s', (_what, text, why) => {
    const read = readReply(text);
    expect(read.kind).toBe('invalid');
    expect(read.kind === 'invalid' ? read.why : '').toContain(why);
  });

  test("a reply is described to the agent with the output's schema", () => {
    expect(replyInstructions({ type: 'object' })).toContain('{"type":"object"}');
  });
});

describe('questions', () => {
  test('questions are the whole answer', () => {
    const full = {
      header: 'Storage',
      question: 'Where?',
      options: [{ label: 'here', description: 'near' }, { label: 'there' }],
      multiSelect: true,
    };
    expect(readReply(asking([full]))).toEqual({ kind: 'asks', questions: [full] });
  });

  test('questions may have options that are only labels', () => {
    expect(readReply(asking([question]))).toEqual({
      kind: 'asks',
      questions: [{ question: 'Which?', options: [{ label: 'a' }, { label: 'b' }] }],
    });
  });

  test.each<[string, string, string]>([
    ['words before', `Hello\n${asking([question])}`, 'whole answer'],
    ['words after', `${asking([question])}\nThanks`, 'whole answer'],
    ['two blocks', `${asking([question])}${asking([question])}`, 'whole answer'],
    ['four questions', asking([question, question, question, question]), '1 to 3 questions'],
    ['none', asking([]), '1 to 3 questions'],
    ['one option', asking([{ question: 'Which?', options: ['a'] }]), '2 or 3 options'],
    ['four options', asking([{ question: 'Which?', options: ['a', 'b', 'c', 'd'] }]), '2 or 3 options'],
    ['equal options', asking([{ question: 'Which?', options: ['a', 'a'] }]), 'same label'],
    ['a long header', asking([{ ...question, header: 'thirteen long' }]), 'at most 12'],
    ['another field', asking([{ ...question, html: '<b>' }]), 'unknown field "html"'],
    ['no JSON', '<needs_user_input>Which?</needs_user_input>', 'JSON list'],
  ])('questions are invalid otherwise: %s', (_what, text, why) => {
    const read = readReply(text);
    expect(read.kind).toBe('invalid');
    expect(read.kind === 'invalid' ? read.why : '').toContain(why);
  });
});

test('nested objects that never parse are read quickly', () => {
  const began = cpuTimeMs();
  const text = `${'{\n'.repeat(500_000)}${'}\n'.repeat(500_000)}`;
  expect(readReply(text)).toMatchObject({ kind: 'invalid' });
  expect(cpuTimeMs() - began).toBeLessThan(5000);
});
