import { describe, expect, test } from 'vitest';
import { isEngineError } from '../base/error.ts';
import { WORK_IN_PLACE } from './driver.ts';
import { parseRoleFile } from './role-file.ts';

const role = (front: string, body = ''): string => `---\n${front}---\n${body}`;
const parse = (text: string) => parseRoleFile('.pawl/agents/dev.md', text);

/** What is wrong with a file, behind its place. */
function fault(text: string): string {
  try {
    return JSON.stringify(parse(text));
  } catch (error) {
    if (!isEngineError(error)) return String(error);
    const { file, line, column } = error.position ?? {};
    return `${error.code} ${file}:${line}:${column} ${error.message}`;
  }
}

test('a role is what its front matter says, and its prompt is what stands below', () => {
  const front = `driver: acp
description: writes code
model: big
credential: team
argv: [my-agent, --acp]
permissions: [read, search, think]
tools: ["Bash(npm test)"]
budget: { tokens: 200000, cost_usd: 1.5, turns: 40 }
`;
  expect(parse(role(front, '\n# You write code\n\n---\nWith care.\n'))).toEqual({
    driver: 'acp',
    description: 'writes code',
    model: 'big',
    credential: 'team',
    argv: ['my-agent', '--acp'],
    permissions: { deeds: ['read', 'search', 'think'], tools: ['Bash(npm test)'] },
    budget: { tokens: 200_000, costUsd: 1.5, turns: 40 },
    prompt: '# You write code\n\n---\nWith care.',
  });
});

test('a file without front matter is a prompt', () => {
  expect(parse('You review.\n---\nnot: front matter\n---\n')).toEqual({ prompt: 'You review.\n---\nnot: front matter\n---' });
  expect(parse('')).toEqual({});
  expect(parse(role('', 'x'))).toEqual({ prompt: 'x' });
});

test('line ends and a mark at the beginning of the file do not matter', () => {
  expect(parse('\uFEFF---\r\ndriver: codex\r\n---\r\nGo\r\non\r\n')).toEqual({ driver: 'codex', prompt: 'Go\non' });
});

describe('permissions', () => {
  test('tools alone add to what is let anyway', () => {
    expect(parse(role('tools: [Skill]\n')).permissions).toEqual({ deeds: WORK_IN_PLACE.deeds, tools: ['Skill'] });
  });

  test('a mapping says kinds of deeds, tools, and tools that are not let', () => {
    expect(parse(role('permissions: { deeds: [read], tools: [A], not: [B] }\n')).permissions).toEqual({
      deeds: ['read'],
      tools: ['A'],
      not: ['B'],
    });
    expect(parse(role('permissions: { not: [B] }\n')).permissions).toEqual({ deeds: WORK_IN_PLACE.deeds, not: ['B'] });
  });

  test('an empty list lets nothing', () => {
    expect(parse(role('permissions: []\n')).permissions).toEqual({ deeds: [] });
  });
});

describe('what is wrong is told at its own place', () => {
  test.each([
    ['an unknown field', 'driver: acp\nmodle: big\n', '3:8 "modle" is no field of a role (did you mean "model"?)'],
    ['a field that is empty', 'driver:\n', '"driver" is a text'],
    ['an unknown deed', 'permissions:\n  - read\n  - exec\n', '4:5 "permissions.1" is no kind of deed'],
    ['tools twice', 'tools: [A]\npermissions: { tools: [B] }\n', '2:8 "tools" is there twice'],
    ['a budget of nothing', 'budget:\n  tokens: 0\n', '3:11 "budget.tokens" is a whole number of at least 1'],
    ['an unknown budget', 'budget: { euros: 1 }\n', '2:18 "budget.euros" is no field of a role'],
    ['a program without a name', 'argv: []\n', '2:7 "argv" is empty'],
    ['a program as a line', 'argv: my-agent --acp\n', '2:7 "argv" is a list'],
    ['a list', '- driver\n', '2:1 the front matter is a mapping'],
    ['a second key of a name', 'driver: acp\ndriver: codex\n', '3:1 Map keys must be unique'],
    ['a tag', 'driver: !!js/function x\n', '2:9 Unresolved tag'],
    ['what is no YAML', 'driver: [acp\n', 'CONFIG_INVALID .pawl/agents/dev.md:'],
    ['nesting without end', `tools: ${'['.repeat(30_000)}\n`, 'CONFIG_INVALID .pawl/agents/dev.md:'],
    ['a flood of aliases', `x: &a [1]\ny: [${'*a,'.repeat(200)}]\n`, 'CONFIG_INVALID'],
  ])('%s', (_, front, message) => {
    expect(fault(role(front))).toContain(message);
  });

  test('front matter that does not end', () => {
    expect(fault('---\ndriver: acp\n')).toBe(
      'CONFIG_INVALID .pawl/agents/dev.md:1:1 the front matter does not end; close it with a line of ---',
    );
  });

  test('a file that is too large', () => {
    expect(fault('x'.repeat(1_000_001))).toContain('CONFIG_INVALID');
  });
});
