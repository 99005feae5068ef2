import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { tempFolder } from '../../../test/temp-folder.ts';
import type { JsonObject } from '../../base/json.ts';
import { type AgentPermissions, WORK_IN_PLACE } from '../driver.ts';
import { actionOf, permissionRules, refusalOf } from './permission.ts';

const root = tempFolder();
const cwd = join(root, 'work');
mkdirSync(cwd);
symlinkSync(root, join(cwd, 'out'));

const refusal = (tool: string, input: JsonObject = {}, permissions: AgentPermissions = WORK_IN_PLACE) =>
  refusalOf({ tool, input }, permissions, cwd);

describe('rules', () => {
  test('the rules that the program starts with deny every tool of a kind that is not permitted, and no others', () => {
    const { allow, deny } = permissionRules({ allow: ['read', 'search'] });
    expect(allow).toEqual([]);
    expect(deny).toEqual(expect.arrayContaining(['Bash', 'Write', 'Edit', 'WebFetch', 'WebSearch', 'AskUserQuestion']));
    for (const tool of ['Read', 'Glob', 'Grep']) expect(deny).not.toContain(tool);
  });

  test('the rules that the program starts with do not deny a tool that has a use permitted by name', () => {
    const { allow, deny } = permissionRules({ allow: ['read'], tools: ['Bash(npm test)', 'mcp__db__query'], deny: ['Read(.env)'] });
    expect(allow).toEqual(['Bash(npm test)', 'mcp__db__query']);
    expect(deny).not.toContain('Bash');
    expect(deny).toContain('Read(.env)');
  });
});

describe('permission requests', () => {
  test('a permission request of the program is permitted only by its kind or its name', () => {
    expect(refusal('Bash')).toBeUndefined();
    expect(refusal('WebFetch')).toContain('WebFetch');
    expect(refusal('mcp__db__query')).toContain('(other)');
    expect(refusal('mcp__db__query', {}, { allow: [], tools: ['mcp__db__query'] })).toBeUndefined();
    expect(refusal('Bash', {}, { allow: ['execute'], deny: ['Bash'] })).toContain('Bash');
    expect(refusal('AskUserQuestion', {}, { allow: ['other'] })).toContain('AskUserQuestion');
  });

  test.each(['../stray.txt', '/etc/passwd', 'out/stray.txt', 'out/new/deep.txt'])(
    'a permission request of the program is denied for a file outside the workspace: %s',
    (path) => {
      expect(refusal('Write', { file_path: path })).toContain('outside the workspace');
      expect(refusal('Grep', { path })).toContain('outside the workspace');
    },
  );

  test.each(['a.txt', 'new/deep/a.txt', '..a', 'x/../b.txt'])(
    'a permission request of the program is permitted for a file of the workspace: %s',
    (path) => {
      expect(refusal('Write', { file_path: path })).toBeUndefined();
      expect(refusal('Write', { file_path: join(cwd, path) })).toBeUndefined();
    },
  );
});

test('an unknown tool has the kind "other", whatever its name', () => {
  expect(actionOf('constructor')).toBe('other');
});
