// The hook that is called before a tool call of an agent: what it denies, and that it is silent otherwise.

import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ConnectedClient, connect, runIn } from './mcp-client.ts';
import { CliRig, type Ended } from './rig.ts';

const GUARDED = `apiVersion: pawl.dev/v1
kind: Workflow
metadata: { name: guarded }
protected: ["tests/**", "ci/"]
stages:
  - { id: build, type: agent, agent: developer, prompt: Build it., may_change: ["tests/new/**"] }
  - { id: ask, type: human, prompt: "Ship it?", options: [{ label: Ship it }] }
`;

const ITEMS = `import { arg, defineWorkflow } from 'pawl';
export default defineWorkflow({
  name: 'items',
  protected: ['tests/**'],
  params: { parts: arg({ description: 'the parts', type: 'json', default: ['one'] }) },
  steps: {
    write: {
      each: { items: 'parts', step: { agent: 'developer', prompt: 'Write it.', mayChange: ['tests/new/**'] } },
      next: null,
    },
  },
});
`;

const TWINS = `import { defineWorkflow } from 'pawl';
const branch = (more) => ({ parallel: { branches: { look: { agent: 'developer', prompt: 'Look.', ...more } } } });
export default defineWorkflow({
  name: 'twins',
  entry: 'second',
  protected: ['tests/**'],
  steps: { first: { ...branch({ mayChange: ['tests/new/**'] }), next: null }, second: { ...branch({}), next: 'first' } },
});
`;

const REVIEWED = `import { defineWorkflow } from 'pawl';
export default defineWorkflow({
  name: 'reviewed',
  steps: {
    work: { agent: 'developer', prompt: 'Do it.', next: 'review' },
    review: { agent: 'reviewer', prompt: 'Review it.', independent: true, next: null },
  },
});
`;

let rig: CliRig;
let agent: ConnectedClient;
let run: string;
beforeAll(async () => {
  rig = new CliRig();
  rig.settings.PAWL_DB = join(rig.folder, 'runs.db');
  rig.write('.pawl/workflows/guarded.yaml', GUARDED);
  rig.write('.pawl/workflows/items.ts', ITEMS);
  rig.write('.pawl/workflows/twins.ts', TWINS);
  rig.write('.pawl/workflows/reviewed.ts', REVIEWED);
  rig.write('tests/a.test.ts', 'x');
  rig.write('tests/new/b.test.ts', 'x');
  rig.write('ci/check.sh', 'x');
  rig.write('package.json', '{"scripts": {"test": "true"}}');
  await rig.run(['trust', '--yes']);
  agent = await connect(rig, { env: { CLAUDE_CODE_SESSION_ID: 'mine' } });
  run = runIn(await agent.call('pawl_start', { workflow: 'guarded' }));
});

afterAll(async () => {
  await agent.close();
  await rig.close();
});

const SILENT = { code: 0, stdout: '', stderr: '' };

function hook(tool: string, input: object, more: object = {}): Promise<Ended> {
  const asked = { session_id: 'mine', hook_event_name: 'PreToolUse', cwd: rig.project, tool_name: tool, tool_input: input, ...more };
  return rig.run(['hook', 'pre-tool-use'], { input: JSON.stringify(asked), cwd: rig.folder });
}

/** Why the call is denied; undefined if it may go ahead. */
async function denied(tool: string, input: object): Promise<string | undefined> {
  const { code, stdout } = await hook(tool, input);
  expect(code).toBe(0);
  if (stdout === '') return undefined;
  const { hookSpecificOutput: said } = JSON.parse(stdout) as { hookSpecificOutput: Record<string, string> };
  expect(said).toMatchObject({ hookEventName: 'PreToolUse', permissionDecision: 'deny' });
  return said.permissionDecisionReason;
}

test('a branch may change only its own files, not those of a branch of the same id in another group', async () => {
  const other = await connect(rig, { env: { CLAUDE_CODE_SESSION_ID: 'twins' } });
  await other.call('pawl_start', { workflow: 'twins' });
  const { stdout } = await hook('Write', { file_path: 'tests/new/b.test.ts', content: '' }, { session_id: 'twins' });
  expect(stdout).toContain('is protected while step \\"second/look\\" of run');
  await other.close();
});

test('an item of a fan-out may change only the files of its step, and is named after the step', async () => {
  const other = await connect(rig, { env: { CLAUDE_CODE_SESSION_ID: 'items' } });
  await other.call('pawl_start', { workflow: 'items' });
  const write = (file: string) => hook('Write', { file_path: file, content: '' }, { session_id: 'items' });
  expect(await write('tests/new/b.test.ts')).toEqual(SILENT);
  expect((await write('tests/a.test.ts')).stdout).toContain('is protected while step \\"write\\" of run');
  await other.close();
});

test('an agent may not review its own work, but a sub-agent of it may', async () => {
  const other = await connect(rig, { env: { CLAUDE_CODE_SESSION_ID: 'reviewed' } });
  const { text: started } = await other.call('pawl_start', { workflow: 'reviewed' });
  const [, token = ''] = /Token: (\S+)/.exec(started) ?? [];
  const { text: sent } = await other.call('pawl_report', { token, result: {} });
  expect(sent).not.toContain('Review it.');
  const [, own = ''] = /and token "([^"]+)"/.exec(sent) ?? [];
  const calls: readonly [string, object][] = [
    ['Bash', { command: `npx pawl next --token=${own}` }],
    ['Bash', { command: `pawl done r --token ${own}` }],
    ['mcp__pawl__pawl_next', { token: own }],
  ];
  for (const [tool, input] of calls) {
    const asked = { session_id: 'reviewed' };
    expect((await hook(tool, input, asked)).stdout).toContain('reviews work of this session');
    expect(await hook(tool, input, { ...asked, agent_id: 'a1' })).toEqual(SILENT);
  }
  expect((await other.call('pawl_next', { token: own })).text).toContain('Review it.');
  await other.close();
});

describe('in a session with an open step', () => {
  test('the hook denies a change of a protected file, with what to do instead', async () => {
    const reason = await denied('Edit', { file_path: join(rig.project, 'tests/a.test.ts'), old_string: 'x', new_string: 'y' });
    expect(reason).toContain(`"tests/a.test.ts" is protected while step "build" of run ${run} is open`);
    expect(reason).toContain('report the failure with pawl_report');
  });

  test('the hook recognises every way of changing a protected file, by the tools of each program', async () => {
    symlinkSync(join(rig.project, 'tests'), join(rig.project, 'alias'));
    const uses: readonly [string, object][] = [
      ['Write', { file_path: '.pawl/workflows/guarded.yaml', content: '' }],
      ['Write', { file_path: 'ci/more.sh', content: '' }],
      ['Write', { file_path: 'alias/a.test.ts', content: '' }],
      ['Write', { file_path: '.claude/settings.json', content: '' }],
      ['MultiEdit', { file_path: 'src/../tests/a.test.ts', edits: [] }],
      ['Write', { file_path: join(rig.folder, 'runs.db'), content: '' }],
      ['Bash', { command: 'cd src; echo x > ../x; echo y >../tests/a.test.ts' }],
      ['Bash', { command: 'cd tests && rm a.test.ts' }],
      ['Bash', { command: 'if true; then rm tests/a.test.ts; fi' }],
      ['Bash', { command: 'env -i X=1 rm -f tests/a.test.ts' }],
      ['Bash', { command: 'git rm -q tests/a.test.ts' }],
      ['Bash', { command: 'rm -rf tests' }],
      ['Bash', { command: 'mv tests/ old' }],
      ['Bash', { command: 'cat > tests/a.test.ts <<EOF\nx\nEOF' }],
      ['Bash', { command: 'bash <<EOF\nrm tests/a.test.ts\nEOF' }],
      ['Bash', { command: "sed -i 's/x/y/' tests/a.test.ts" }],
      ['Bash', { command: 'rm -f "tests/a.test.ts"' }],
      ['apply_patch', { command: '*** Begin Patch\n*** Update File: tests/a.test.ts\n@@\n-x\n+y\n*** End Patch' }],
      ['shell', { command: ['bash', '-lc', 'rm tests/a.test.ts'] }],
      ['write_file', { file_path: 'tests/a.test.ts', content: '' }],
      ['edit', { filePath: 'tests/a.test.ts' }],
    ];
    for (const [tool, input] of uses) expect([tool, input, await denied(tool, input)]).toEqual([tool, input, expect.any(String)]);
  });

  test('the hook does not comment on other work', async () => {
    const uses: readonly [string, object][] = [
      ['Write', { file_path: 'src/main.ts', content: '' }],
      ['Write', { file_path: 'tests/more.test.ts', content: '' }],
      ['Edit', { file_path: 'tests/new/b.test.ts' }],
      ['Edit', { file_path: 'package.json' }],
      ['Edit', { file_path: '/elsewhere/tests/a.test.ts' }],
      ['Read', { file_path: 'tests/a.test.ts' }],
      ['Bash', { command: 'cat tests/a.test.ts > /dev/null && cp tests/a.test.ts /tmp/copy' }],
      [
        'Bash',
        {
          command:
            'npm test; pawl next; pawl show r1; pawl trust --list; pawl approve --help; pawl data --json status; pawl assume r1 --token t --question q --assumed a',
        },
      ],
      ['Bash', { command: 'echo "the person runs pawl approve r1"; grep -rn pawl approve docs' }],
      ['Bash', { command: "cat > docs.md <<'EOF'\npawl approve r1\nrm tests/a.test.ts\nEOF\nls" }],
      ['Bash', { command: 'cd /elsewhere && rm -rf tests/a.test.ts' }],
      ['Bash', { command: 'rm -rf src/tests dist; mkdir -p tests/new; touch tests/c.test.ts' }],
      ['mcp__pawl__pawl_report', { token: 't', result: {} }],
    ];
    for (const [tool, input] of uses) expect([tool, input, await hook(tool, input)]).toEqual([tool, input, SILENT]);
  });

  test('the hook denies a command that only a person may run, however it is started', async () => {
    const commands = [
      'pawl approve r1',
      'cd /x && npx pawl decide r1 --option 1',
      'npx --yes pawl@latest reject r1',
      './node_modules/.bin/pawl answer r1 a',
      'node bin/pawl.js --project . trust --yes',
      'pawl resume r1 --accept',
      'PAWL_TOKEN=x pawl resume r1 --to=ship',
      'pawl retry r1',
      'pawl identity enrol me',
      'pawl token create mine --scope decide',
      'sh -c "pawl approve r1"',
      'echo $(pawl approve r1)',
      'echo "done: $(pawl approve r1)"',
      'env -i PATH="$PATH" pawl approve r1',
      'timeout -s KILL 60 pawl approve r1',
      'script -qec "pawl approve r1" /dev/null',
      "bash -lc 'npx pawl approve r1'",
      'npm exec -- pawl approve r1',
      'if true; then pawl approve r1; fi',
      '! pawl approve r1',
      '{ pawl approve r1; }',
      '(cd x; "pawl" approve r1)',
      'echo r1 | xargs pawl approve',
      'nice -n 5 pawl approve r1',
      'eval "pawl approve r1"',
      'bash <<EOF\npawl approve r1\nEOF',
      'pawl --json approve r1',
      'pawl --project list answer r1 --assumption a1 yes',
      'pawl answer r1 --assumption a1 -- --help',
      'pawl approve r1 --input -h',
      'pawl data restore b1',
      'pawl data --database status restore b1',
      'pawl token --scope decide create mine',
    ];
    for (const command of commands)
      expect([command, await denied('Bash', { command })]).toEqual([
        command,
        expect.stringContaining('is a decision of the person you work for'),
      ]);
  });

  test('Gemini CLI gets the answer of the hook in its own format', async () => {
    const { stdout } = await hook('run_shell_command', { command: 'pawl approve r1' }, { hook_event_name: 'BeforeTool' });
    expect(JSON.parse(stdout)).toEqual({ decision: 'deny', reason: expect.stringContaining('"pawl approve" is a decision') });
  });
});

describe('the hook is silent', () => {
  const forbidden = ['Bash', { command: 'pawl approve r1; rm tests/a.test.ts' }] as const;

  test('the hook is silent in a session without a run, even if another session has one', async () => {
    expect(await hook(...forbidden, { session_id: 'another' })).toEqual(SILENT);
  });

  test('the hook is silent once the run has ended', async () => {
    await rig.run(['cancel', run]);
    expect(await hook(...forbidden)).toEqual(SILENT);
  });
});

describe('a hook that cannot work never blocks', () => {
  test.each([
    ['no JSON', 'x'],
    ['no session', '{}'],
  ])('the hook does not block: %s', async (_what, input) => {
    const { code, stdout, stderr } = await rig.run(['hook', 'pre-tool-use'], { input });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain('the tool call was not checked');
  });

  test('a hook that meets a damaged database does not block', async () => {
    await agent.call('pawl_start', { workflow: 'guarded' });
    await agent.close();
    writeFileSync(join(rig.folder, 'runs.db'), 'not a database');
    const { code, stdout, stderr } = await hook('Write', { file_path: 'tests/a.test.ts' });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain('the tool call was not checked');
  });
});
