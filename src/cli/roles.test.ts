import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { tempFolder } from '../../test/temp-folder.ts';
import { isEngineError } from '../base/error.ts';
import type { Json } from '../base/json.ts';
import { createAgentRequest } from '../proof/driver-suite.ts';
import { checkRoles } from './doctor/roles.ts';
import type { Project } from './project.ts';
import { programOf, readRoles } from './roles.ts';

let root: string;
let project: Project;
beforeEach(() => {
  root = tempFolder();
  project = { root, because: 'option', home: join(root, '.pawl') };
});

function write(file: string, text: string): string {
  const path = join(root, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

async function fault(roles?: Json): Promise<string> {
  try {
    return JSON.stringify(await readRoles(project, roles === undefined ? {} : { roles }));
  } catch (error) {
    return isEngineError(error) ? `${error.code} ${error.position?.file ?? ''} ${error.message}` : String(error);
  }
}

test('a project without roles has none', async () => {
  expect(await readRoles(project, {})).toEqual({ roles: {}, drivers: {}, files: [] });
});

test('roles are read from both folders, each with the driver that it names', async () => {
  const dev = write(
    '.pawl/agents/dev.md',
    '---\ndriver: acp\nargv: [my-agent, --acp]\nmodel: big\npermissions: [read]\n---\nYou write code.\n',
  );
  const review = write('.squadron/agents/pr-review.md', '---\ndriver: claude-code\nbudget: { turns: 3 }\n---\nYou review.\n');
  const docs = write('.pawl/agents/docs-dev.md', 'You write.\n');
  write('.pawl/agents/notes.txt', 'not a role');
  const { roles, drivers, files } = await readRoles(project, {});
  expect(roles).toEqual({
    dev: { driver: 'acp:dev', argv: ['my-agent', '--acp'], model: 'big', permissions: { allow: ['read'] }, prompt: 'You write code.' },
    'docs-dev': { driver: 'attended', prompt: 'You write.' },
    'pr-review': { driver: 'claude-code', budget: { turns: 3 }, prompt: 'You review.' },
  });
  expect(Object.entries(drivers).map(([key, { name }]) => [key, name])).toEqual([
    ['acp:dev', 'acp'],
    ['claude-code', 'claude-code'],
  ]);
  expect(files).toEqual([dev, docs, review]);
});

test('roles with different programs do not share a driver', async () => {
  for (const name of ['one', 'two']) write(`.pawl/agents/${name}.md`, `---\ndriver: command\nargv: [cat, ${name}]\n---\n`);
  expect(Object.keys((await readRoles(project, {})).drivers)).toEqual(['command:one', 'command:two']);
});

test('a field in the settings overrides the field in the role file, and triggers are ignored', async () => {
  write('.pawl/agents/dev.md', '---\ndriver: codex\nmodel: big\n---\nYou write code.\n');
  const roles = { dev: { model: 'small', triggers: [{ event: 'push' }] }, 'feat-dev': { triggers: [{ event: 'push' }] } };
  expect((await readRoles(project, { roles })).roles).toEqual({
    dev: { driver: 'codex', model: 'small', prompt: 'You write code.' },
    'feat-dev': { driver: 'attended' },
  });
});

describe('an error names the file', () => {
  test.each([
    ['an unknown driver', '---\ndriver: claud-code\n---\n', 'has the unknown driver "claud-code" (did you mean "claude-code"?)'],
    ['a driver for tests', '---\ndriver: scripted\n---\n', 'has the unknown driver "scripted"'],
    ['no program', '---\ndriver: acp\n---\n', 'no program; add argv'],
    ['a program that is never started', '---\nargv: [x]\n---\n', 'the driver "attended" starts no program'],
    ['an unknown field', '---\ndrivr: acp\n---\n', '"drivr" is not a field of a role'],
  ])('an error in a role names its file: %s', async (_what, text, message) => {
    const file = write('.pawl/agents/dev.md', text);
    expect(await fault()).toMatch(new RegExp(`^CONFIG_INVALID ${file} `));
    expect(await fault()).toContain(message);
  });

  test('a role in two files is an error that names the file', async () => {
    write('.pawl/agents/dev.md', '');
    write('.squadron/agents/dev.md', '');
    expect(await fault()).toContain('also defined in');
  });

  test('a file name that cannot be the name of a role is an error', async () => {
    write('.pawl/agents/my role.md', '');
    expect(await fault()).toContain('"my role" is not a valid role name');
  });

  test('an invalid field of a role in the settings is an error', async () => {
    expect(await fault({ dev: { modle: 'x' } })).toContain('"roles.dev.modle" in the settings is not a field of a role');
  });

  test('a model without a provider is an error', async () => {
    write('.pawl/agents/writer.md', '---\ndriver: ai-sdk\nmodel: gpt-5\n---\n');
    expect(await fault()).toContain('sets the model "gpt-5"; write "model: provider/name"');
  });
});

describe('a model of the AI SDK', () => {
  async function answerOf(model: string) {
    write('.pawl/agents/writer.md', `---\ndriver: ai-sdk\nmodel: ${model}\n---\nYou write.\n`);
    const { drivers, roles } = await readRoles(project, {});
    const { model: name } = roles.writer ?? {};
    const request = createAgentRequest({ cwd: root, schema: { type: 'string' }, ...(name === undefined ? {} : { model: name }) });
    return await drivers['ai-sdk']?.ask(request);
  }

  // Packages of the project: `ai` as installed here, and a provider written by the test.
  function install(provider: string, text: string): void {
    mkdirSync(join(root, 'node_modules/@ai-sdk'), { recursive: true });
    symlinkSync(resolve(import.meta.dirname, '../../node_modules/ai'), join(root, 'node_modules/ai'));
    write(`node_modules/@ai-sdk/${provider}/package.json`, '{"type": "module", "main": "index.js"}');
    write(`node_modules/@ai-sdk/${provider}/index.js`, text);
  }

  test('a model of the AI SDK comes from the packages of the project', async () => {
    const server = createServer((request, response) => {
      request.resume().on('end', () => {
        const choices = [{ index: 0, message: { role: 'assistant', content: 'A title' }, finish_reason: 'stop' }];
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ id: 'x', object: 'chat.completion', created: 1, model: 'm', choices }));
      });
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const compatible = resolve(import.meta.dirname, '../../node_modules/@ai-sdk/openai-compatible/dist/index.js');
    const baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    install(
      'my-stub',
      `import { createOpenAICompatible } from ${JSON.stringify(compatible)};\nexport const myStub = createOpenAICompatible({ name: 'stub', baseURL: '${baseURL}' });\n`,
    );
    expect(await answerOf('my-stub/small')).toMatchObject({ kind: 'answered', output: 'A title' });
    server.closeAllConnections();
    server.close();
  });

  test('a model of the AI SDK that is not installed is named, with the command to install it', async () => {
    expect(await answerOf('nobody/small')).toMatchObject({ kind: 'failed', message: expect.stringContaining('npm install ai') });
    install('other', 'export const x = 1;');
    expect(await answerOf('nobody/small')).toMatchObject({ message: expect.stringContaining('npm install @ai-sdk/nobody') });
    expect(await answerOf('other/small')).toMatchObject({ message: expect.stringContaining('has no provider "other"') });
  });
});

test('the program of a role is the file of the project, not a copy in a worktree', () => {
  write('tools/agent.mjs', '');
  expect(programOf(root, ['./tools/agent.mjs', 'src'])).toEqual([join(root, 'tools/agent.mjs'), 'src']);
  expect(programOf(root, ['node', 'tools/agent.mjs', 'tools'])).toEqual(['node', join(root, 'tools/agent.mjs'), 'tools']);
  expect(programOf(root, ['node', '--flag', 'tools/agent.mjs'])).toEqual(['node', '--flag', 'tools/agent.mjs']);
  expect(programOf(root, ['my-agent', 'tools/agent.mjs'])).toEqual(['my-agent', 'tools/agent.mjs']);
  expect(programOf(root, ['/usr/bin/agent'])).toEqual(['/usr/bin/agent']);
});

describe('the doctor', () => {
  const check = async (env: Readonly<Record<string, string>> = {}) =>
    (await checkRoles(project, {}, { PATH: dirname(process.execPath), ...env })).map(({ status, what, hint }) => [status, what, hint]);

  test('doctor lists the roles and whether their programs are found', async () => {
    expect(await check()).toEqual([['ok', 'no roles are defined', undefined]]);
    write('.pawl/agents/a.md', '---\ndriver: command\nargv: [node, x.js]\n---\n');
    write('.pawl/agents/b.md', '---\ndriver: acp\nargv: [no-such-agent]\n---\n');
    write('.pawl/agents/c.md', '---\ndriver: codex\nmodel: big\n---\n');
    write('.pawl/agents/d.md', '---\ndriver: ai-sdk\nmodel: nobody/small\n---\n');
    write('.pawl/agents/e.md', 'attended');
    expect(await check()).toEqual([
      ['ok', 'role a: command, node x.js', undefined],
      ['warning', 'role b: acp, no-such-agent; the program "no-such-agent" cannot be found', 'install it, or add it to the PATH'],
      ['warning', 'role c: codex, big; the program "codex" cannot be found', 'install it, or add it to the PATH'],
      ['warning', 'role d: ai-sdk, nobody/small; ai and @ai-sdk/nobody cannot be found', 'npm install ai @ai-sdk/nobody'],
      ['ok', 'role e: attended', undefined],
    ]);
  });

  test.runIf(process.platform === 'linux')('doctor names the missing key or login of a role', async () => {
    write('bin/codex', '#!/bin/sh\n');
    chmodSync(join(root, 'bin/codex'), 0o755);
    write('.pawl/agents/c.md', '---\ndriver: codex\n---\n');
    const env = { PATH: join(root, 'bin'), HOME: root };
    const found = async (more: object = {}, environment: readonly string[] = []) =>
      (await checkRoles(project, { environment }, { ...env, ...more })).map(({ what }) => what);
    expect(await found()).toEqual(['role c: codex; neither a login (~/.codex/auth.json) nor OPENAI_API_KEY was found']);
    expect(await found({ OPENAI_API_KEY: 'x' })).toEqual(['role c: codex; OPENAI_API_KEY is set, but not passed on to it']);
    expect(await found({ OPENAI_API_KEY: 'x' }, ['OPENAI_*'])).toEqual(['role c: codex']);
    write('.codex/auth.json', '{}');
    expect(await found()).toEqual(['role c: codex']);
  });

  test('doctor warns that Claude Code does not read the instructions of the project, unless its role enables that', async () => {
    write('CLAUDE.md', 'Be kind.');
    write('.pawl/agents/c.md', `---\ndriver: claude-code\nargv: [${process.execPath}]\nenv: { ANTHROPIC_API_KEY: { secret: KEY } }\n---\n`);
    expect((await check())[0]?.[1]).toContain('does not read CLAUDE.md ("setting_sources: [user, project]" reads it)');
    write('.pawl/agents/c.md', `---\ndriver: claude-code\nargv: [${process.execPath}]\nsetting_sources: [user, project]\n---\n`);
    expect((await check())[0]?.[1]).not.toContain('CLAUDE.md');
  });

  test.each([
    ['driver: codex\nsetting_sources: [user]', 'has setting_sources, which only the driver claude-code supports, not "codex"'],
    ['driver: acp\nargv: [x]\nbase_url: https://a.example', 'has base_url, which only the drivers claude-code and codex support'],
    ['driver: claude-code\nagents: [reviewer]', 'names the sub-agent "reviewer", but no role file has instructions for it'],
    ['env: { A: "1" }', 'has env, but the driver "attended" starts no program'],
    ['driver: codex\nenv: { PAWL_RUN: "1" }', '"env.PAWL_RUN" is set by Pawl itself'],
    ['driver: codex\nenv: { A: 1 }', '"env.A" must be a text in quotes'],
    ['driver: codex\nretry: { crash: { times: 1 } }', '"retry.crash.times" is not a field of a role'],
    ['driver: codex\nbase_url: gateway', '"base_url" must be an address'],
    ['driver: claude-code\nsetting_sources: [projct]', '"setting_sources.0" must be one of user, project, local'],
  ])('doctor rejects fields that do not fit: %s', async (fields, why) => {
    write('.pawl/agents/dev.md', `---\n${fields}\n---\n`);
    expect(await check()).toMatchObject([['problem', expect.stringContaining(why), expect.any(String)]]);
  });

  test('doctor reports an invalid role with its position', async () => {
    const file = write('.pawl/agents/dev.md', '---\ndriver: acp\nmodle: x\n---\n');
    expect(await check()).toMatchObject([['problem', expect.stringContaining(`${file}:3:`), expect.any(String)]]);
    write('.pawl/agents/dev.md', '---\ndriver: acp\n---\n');
    expect(await check()).toMatchObject([['problem', expect.stringContaining('no program; add argv'), expect.any(String)]]);
  });
});
