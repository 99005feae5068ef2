import { describe, expect, test } from 'vitest';
import { isEngineError } from '../base/error.ts';
import { WORK_IN_PLACE } from './driver.ts';
import { parseRoleFile } from './role-file.ts';

const role = (front: string, body = ''): string => `---\n${front}---\n${body}`;
const parse = (text: string) => parseRoleFile('.pawl/agents/dev.md', text);

/** Returns the position and text of the mistake in a file. */
function fault(text: string): string {
  try {
    return JSON.stringify(parse(text));
  } catch (error) {
    if (!isEngineError(error)) return String(error);
    const { file, line, column } = error.position ?? {};
    return `${error.code} ${file}:${line}:${column} ${error.message}`;
  }
}

test('a role has the fields of its front matter and the prompt below it', () => {
  const front = `driver: acp
description: writes code
model: big
credential: team
argv: [my-agent, --acp]
permissions: [read, search, think]
tools: ["Bash(npm test)"]
budget: { tokens: 200000, cost_usd: 1.5, turns: 40 }
idle: 30m
`;
  expect(parse(role(front, '\n# You write code\n\n---\nWith care.\n'))).toEqual({
    driver: 'acp',
    description: 'writes code',
    model: 'big',
    credential: 'team',
    argv: ['my-agent', '--acp'],
    permissions: { allow: ['read', 'search', 'think'], tools: ['Bash(npm test)'] },
    budget: { tokens: 200_000, costUsd: 1.5, turns: 40 },
    idleMs: 1_800_000,
    prompt: '# You write code\n\n---\nWith care.',
  });
});

test('a file without front matter is only a prompt', () => {
  expect(parse('You review.\n---\nnot: front matter\n---\n')).toEqual({ prompt: 'You review.\n---\nnot: front matter\n---' });
  expect(parse('')).toEqual({});
  expect(parse(role('', 'x'))).toEqual({ prompt: 'x' });
});

test('line endings and a byte order mark do not matter', () => {
  expect(parse('\uFEFF---\r\ndriver: codex\r\n---\r\nGo\r\non\r\n')).toEqual({ driver: 'codex', prompt: 'Go\non' });
});

describe('permissions', () => {
  test('tools alone extend the default permissions', () => {
    expect(parse(role('tools: [Skill]\n')).permissions).toEqual({ allow: WORK_IN_PLACE.allow, tools: ['Skill'] });
  });

  test('a mapping of permissions has kinds of actions, permitted tools, and forbidden tools', () => {
    expect(parse(role('permissions: { allow: [read], tools: [A], deny: [B] }\n')).permissions).toEqual({
      allow: ['read'],
      tools: ['A'],
      deny: ['B'],
    });
    expect(parse(role('permissions: { deny: [B] }\n')).permissions).toEqual({ allow: WORK_IN_PLACE.allow, deny: ['B'] });
  });

  test('an empty list of permissions permits nothing', () => {
    expect(parse(role('permissions: []\n')).permissions).toEqual({ allow: [] });
  });
});

describe('mistakes', () => {
  test.each([
    ['an unknown field', 'driver: acp\nmodle: big\n', '3:8 "modle" is not a field of a role (did you mean "model"?)'],
    ['a field that is empty', 'driver:\n', '"driver" must be a non-empty string'],
    ['an unknown action', 'permissions:\n  - read\n  - exec\n', '4:5 "permissions.1" is not a kind of action'],
    ['tools twice', 'tools: [A]\npermissions: { tools: [B] }\n', '2:8 "tools" is set twice'],
    ['a budget of nothing', 'budget:\n  tokens: 0\n', '3:11 "budget.tokens" must be a whole number of at least 1'],
    ['an unknown budget', 'budget: { euros: 1 }\n', '2:18 "budget.euros" is not a field of a role'],
    ['a program without a name', 'argv: []\n', '2:7 "argv" is empty'],
    ['a program as a line', 'argv: my-agent --acp\n', '2:7 "argv" must be a list'],
    ['a list', '- driver\n', '2:1 the front matter must be a mapping'],
    ['a second key of a name', 'driver: acp\ndriver: codex\n', '3:1 Map keys must be unique'],
    ['a tag', 'driver: !!js/function x\n', '2:9 Unresolved tag'],
    ['text that is not YAML', 'driver: [acp\n', 'CONFIG_INVALID .pawl/agents/dev.md:'],
    ['nesting without end', `tools: ${'['.repeat(30_000)}\n`, 'CONFIG_INVALID .pawl/agents/dev.md:'],
    ['too many aliases', `x: &a [1]\ny: [${'*a,'.repeat(200)}]\n`, 'CONFIG_INVALID'],
  ])('a mistake is reported at its position: %s', (_, front, message) => {
    expect(fault(role(front))).toContain(message);
  });

  test('front matter that does not end is an error', () => {
    expect(fault('---\ndriver: acp\n')).toBe(
      'CONFIG_INVALID .pawl/agents/dev.md:1:1 the front matter does not end; add a closing line "---"',
    );
  });

  test('a file that is too large is an error', () => {
    expect(fault('x'.repeat(1_000_001))).toContain('CONFIG_INVALID');
  });
});
