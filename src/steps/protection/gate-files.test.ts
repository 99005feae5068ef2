// What the commands of gates read to decide what they run, and what an agent that rewrites or adds such a file gets: no
// verdict. Real files, real links and pipes, a scripted agent.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createScriptedDriver } from '../../agents/scripted.ts';
import type { JsonObject } from '../../base/json.ts';
import type { Definition, StepModel } from '../../definition/model.ts';
import { REGISTRY } from '../../kinds/registry.ts';
import { createAttemptRequest } from '../../proof/attempt-request.ts';
import type { AttemptResult } from '../attempt.ts';
import { createAttemptRunner } from '../runner.ts';

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'pawl-gate-files-'));
  put('src/a.ts', 'export const a = 1;');
});
afterEach(() => rmSync(cwd, { recursive: true }));

function put(path: string, text: string): void {
  mkdirSync(dirname(join(cwd, path)), { recursive: true });
  writeFileSync(join(cwd, path), text);
}
const json = (value: JsonObject): string => JSON.stringify(value, null, 2);

interface Attack {
  /** The checks of the gate behind the agent: a line for the shell, or the whole check. */
  readonly gate: string | JsonObject;
  readonly act: () => void;
  readonly model?: Partial<StepModel>;
}

/** An agent does something in a workflow whose gate runs a command. */
async function attack({ gate, act, model = {} }: Attack): Promise<AttemptResult> {
  const driver = createScriptedDriver(() => {
    act();
    return { kind: 'answered', success: true, output: null };
  });
  const run = createAttemptRunner({ cwd, roles: { dev: { driver: 'scripted' } }, drivers: { scripted: driver }, now: Date.now }, REGISTRY);
  const plain = createAttemptRequest({ kind: 'agent', config: { role: 'dev' }, model });
  const check = typeof gate === 'string' ? { check: 'command', run: gate } : gate;
  const judge = { ...plain.bound.model, id: 'judge', kind: 'gate' as const, config: { checks: [check] } };
  const definition = { ...plain.workflow.definition, steps: [plain.bound.model, judge as unknown as StepModel] } as Definition;
  return await run({ ...plain, workflow: { ...plain.workflow, definition } });
}

const voided = (path: string, what: string) => ({
  type: 'errored',
  error: { code: 'PROTECTED_CHANGED', message: expect.stringContaining(`${path} (${what})`) },
});
const accepted = { type: 'settled', outcome: 'ok' };

const PACKAGE = { name: 'p', scripts: { test: 'node check.js && npm run lint', lint: 'eslint .', dev: 'vite' }, dependencies: { a: '1' } };

describe('before a gate that runs npm test', () => {
  beforeEach(() => {
    put('package.json', json(PACKAGE));
    put('check.js', 'process.exit(1)');
  });
  const gate = 'npm test';
  const scripts = (changed: JsonObject): string => json({ ...PACKAGE, scripts: { ...PACKAGE.scripts, ...changed } });

  test.each<[string, [string, string], string]>([
    ['the script is rewritten', ['package.json', scripts({ test: 'true' })], 'package.json changed'],
    ['a script is put before it', ['package.json', scripts({ pretest: 'cp good.js src' })], 'package.json changed'],
    ['a script that it runs is rewritten', ['package.json', scripts({ lint: 'true' })], 'package.json changed'],
    ['what the script runs is rewritten', ['check.js', 'process.exit(0)'], 'check.js changed'],
    ['settings of npm are added', ['.npmrc', 'script-shell=/bin/true'], '.npmrc added'],
    ['settings of a tool are added that a script runs', ['eslint.config.js', 'export default []'], 'eslint.config.js added'],
    ['settings of a test tool are added to it', ['package.json', json({ ...PACKAGE, jest: { testMatch: [] } })], 'package.json changed'],
    ['it is made unreadable', ['package.json', '{'], 'package.json changed'],
  ])('an agent has no verdict when %s', async (_what, [path, text], change) => {
    const [name = '', what = ''] = change.split(' ');
    expect(await attack({ gate, act: () => put(path, text) })).toMatchObject(voided(name, what));
  });

  test.each<[string, string]>([
    ['adds a dependency', json({ ...PACKAGE, dependencies: { a: '1', b: '2' } })],
    ['changes a script that no gate runs', scripts({ dev: 'vite --host' })],
    ['writes it in another order', json({ dependencies: { a: '1' }, scripts: PACKAGE.scripts, name: 'p' })],
  ])('an agent that only %s is accepted', async (_what, text) => {
    expect(await attack({ gate, act: () => put('package.json', text) })).toMatchObject(accepted);
  });

  test('a step that may change package.json may change its scripts', async () => {
    const model = { mayChange: ['package.json'] };
    expect(await attack({ gate, model, act: () => put('package.json', scripts({ test: 'true' })) })).toMatchObject(accepted);
  });

  test('the program of a tool may not be replaced, but a new one may be installed', async () => {
    mkdirSync(join(cwd, 'node_modules/.bin'), { recursive: true });
    symlinkSync('../eslint/bin.js', join(cwd, 'node_modules/.bin/eslint'));
    put('node_modules/eslint/bin.js', '1');
    expect(await attack({ gate, act: () => put('node_modules/eslint/bin.js', '2') })).toMatchObject(accepted);
    const replaced = (): void => {
      unlinkSync(join(cwd, 'node_modules/.bin/eslint'));
      put('node_modules/.bin/eslint', '#!/bin/true');
    };
    expect(await attack({ gate, act: replaced })).toMatchObject(voided('node_modules/.bin/eslint', 'changed'));
    expect(await attack({ gate: 'npx jest', act: () => put('node_modules/.bin/jest', 'x') })).toMatchObject(accepted);
  });
});

describe('gate files', () => {
  test.each<[string | JsonObject, string]>([
    ['make check', 'Makefile'],
    ['make -f ci/rules.mk check', 'ci/rules.mk'],
    ['sh scripts/check.sh --fast', 'scripts/check.sh'],
    ['./check.sh', 'check.sh'],
    ['cd packages/one && ./check.sh', 'packages/one/check.sh'],
    ['CI=1 node --test-reporter=tap test/all.js', 'test/all.js'],
    ["sh -c 'set -e; python3 tools/verify.py'", 'tools/verify.py'],
    ['timeout 60 python -m pytest -q', 'pytest.ini'],
    ['pnpm --dir web test', 'web/package.json'],
    ['yarn vitest run', 'vitest.config.ts'],
    ['npx --yes mocha', '.mocharc.json'],
    ['cargo test', '.cargo/config.toml'],
    ['go vet ./... || exit 1; tox -e py', 'tox.ini'],
    ['bash -euo pipefail -c "npm test"', 'package.json'],
    ["bash -lc 'make check'", 'Makefile'],
    ['make -C sub check', 'sub/Makefile'],
    ['node --run test', 'package.json'],
    ['corepack pnpm test', 'package.json'],
    ['run-s test', 'package.json'],
    ['npm cit', 'package.json'],
    ['npm --prefix=web test', 'web/package.json'],
    ['npx vitest@3 run', 'vitest.config.ts'],
    ['python3.12 -m pytest', '.pytest.ini'],
    ['python -m pytest', 'pytest.py'],
    ['python -m pytest', 'pytest/__main__.py'],
    ['pytest tests/ -x', 'tests/pytest.ini'],
    ['ruff check src/', 'src/ruff.toml'],
    ['deno task test', 'deno.json'],
    ['nohup ./ci.sh', 'ci.sh'],
    [{ check: 'command', argv: ['bash', '-ec', './ci.sh'] }, 'ci.sh'],
    [{ check: 'command', argv: ['bash', 'ci.sh'] }, 'ci.sh'],
    [{ check: 'command', run: './ci.sh', cwd: 'sub' }, 'sub/ci.sh'],
    [{ check: 'any_of', checks: [{ check: 'command', run: './ci.sh' }] }, 'ci.sh'],
  ])('the gate files of %j include %s, changed and added', async (gate, path) => {
    const text = path.endsWith('package.json') ? json({ scripts: { test: 'true' } }) : '[pytest]\nx';
    expect(await attack({ gate, act: () => put(path, text) })).toMatchObject(voided(path, 'added'));
    const other = path.endsWith('package.json') ? json({ scripts: { test: 'false' } }) : '[pytest]\ny';
    expect(await attack({ gate, act: () => put(path, other) })).toMatchObject(voided(path, 'changed'));
    expect(await attack({ gate, act: () => put('src/a.ts', 'better') })).toMatchObject(accepted);
  });

  test.each([
    ['make check', 'ci/rules.mk'],
    ['make check', 'ci/run.sh'],
    ['make check', 'ci/before.sh'],
    ['make check', 'package.json'],
    ['./check.sh', 'lib.sh'],
    ['./check.sh', 'package.json'],
    ['sh check', 'deep.sh'],
  ])('the gate files behind %s include what the file runs in turn: %s', async (gate, path) => {
    put('Makefile', 'include ci/rules.mk\nserve:\n\tnode src/a.ts\ncheck: before\n\t@./ci/run.sh && npm test\n');
    put('ci/rules.mk', 'before:\n\tsh ci/before.sh\n');
    put('check.sh', '#!/bin/sh\n# runs src/a.ts\n. ./lib.sh\nif true; then npm test; fi\n');
    put('check', 'exec bash deep.sh\n');
    put('package.json', json({ scripts: { test: 'exit 1' } }));
    for (const file of ['ci/run.sh', 'ci/before.sh', 'lib.sh', 'deep.sh']) put(file, 'exit 1');
    const act = (): void => put(path, path === 'package.json' ? json({ scripts: { test: 'true' } }) : 'true');
    expect(await attack({ gate, act })).toMatchObject(voided(path, 'changed'));
    expect(await attack({ gate, act: () => put('src/a.ts', 'better') })).toMatchObject(accepted);
  });

  test.each(['npm -w web test', 'pnpm --filter web test', 'yarn workspace web test'])(
    'the gate files of %s include the scripts of packages',
    async (gate) => {
      put('web/package.json', json({ scripts: { test: 'exit 1' } }));
      const act = (): void => put('web/package.json', json({ scripts: { test: 'true' } }));
      expect(await attack({ gate, act })).toMatchObject(voided('web/package.json', 'changed'));
    },
  );

  test.each([
    ['pluggy.py', 'python3 -m pytest tests'],
    ['_pytest/__init__.py', 'python3 -m pytest tests'],
    ['packaging/__init__.py', 'pytest'],
    ['xdist.py', 'uv run pytest tests'],
  ])('%s, which pytest would import in place of an installed module, may not be added before `%s`', async (path, gate) => {
    expect(await attack({ gate, act: () => put(path, 'import os; os._exit(0)') })).toMatchObject(voided(path, 'added'));
  });

  test('a plugin of pytest may not be declared, but other entry points may', async () => {
    const declare = (section: string) => () => put('evil-1.0.dist-info/entry_points.txt', `[${section}]\nevil = evil\n`);
    expect(await attack({ gate: 'pytest', act: declare('console_scripts') })).toMatchObject(accepted);
    expect(await attack({ gate: 'pytest', act: declare('pytest11') })).toMatchObject(
      voided('evil-1.0.dist-info/entry_points.txt', 'added'),
    );
  });

  test('a conftest.py that is added anywhere decides what pytest runs', async () => {
    expect(await attack({ gate: 'pytest', act: () => put('tests/deep/conftest.py', 'x') })).toMatchObject(
      voided('tests/deep/conftest.py', 'added'),
    );
    expect(await attack({ gate: 'pytest', act: () => put('tests/test_new.py', 'x') })).toMatchObject(accepted);
  });

  test('of pyproject.toml only the settings of the tool count', async () => {
    put('pyproject.toml', '[project]\ndependencies = []\n[tool.pytest.ini_options]\naddopts = "-q"\n');
    const gate = 'python -m pytest';
    const more = '[project]\ndependencies = ["a"]\n[tool.pytest.ini_options]\naddopts = "-q"\n';
    expect(await attack({ gate, act: () => put('pyproject.toml', more) })).toMatchObject(accepted);
    const less = '[project]\ndependencies = ["a"]\n[tool.pytest.ini_options]\naddopts = "--co"\n';
    expect(await attack({ gate, act: () => put('pyproject.toml', less) })).toMatchObject(voided('pyproject.toml', 'changed'));
  });

  test('of Cargo.toml everything counts but dependencies', async () => {
    put('Cargo.toml', '[package]\nname = "a"\n[dependencies]\nb = "1"\n');
    const more = '[package]\nname = "a"\n[dependencies]\nb = "1"\nc = "2"\n[dev-dependencies]\nd = "1"\n';
    expect(await attack({ gate: 'cargo test', act: () => put('Cargo.toml', more) })).toMatchObject(accepted);
    const less = '[package]\nname = "a"\nautotests = false\n[dependencies]\nb = "1"\n';
    expect(await attack({ gate: 'cargo test', act: () => put('Cargo.toml', less) })).toMatchObject(voided('Cargo.toml', 'changed'));
  });

  test('a workflow without a gate leaves the gate files to the agent', async () => {
    expect(await attack({ gate: { check: 'file_exists', paths: ['x'] }, act: () => put('Makefile', 'all:') })).toMatchObject(accepted);
  });
});

describe('added settings', () => {
  test.each([
    '.pawl/config.local.yaml',
    '.pawl/workflows/own.yaml',
    '.github/workflows/release.yml',
    '.claude/settings.json',
    '.claude/hooks/stop.sh',
    '.mcp.json',
    '.npmrc',
  ])('a file that is added where settings act by themselves voids the verdict: %s', async (path) => {
    expect(await attack({ gate: 'true', act: () => put(path, 'x') })).toMatchObject(voided(path, 'added'));
    rmSync(join(cwd, path));
    expect(await attack({ gate: 'true', model: { mayChange: [path] }, act: () => put(path, 'x') })).toMatchObject(accepted);
  });
});

describe('protected paths', () => {
  test('a protected path tests/** is open for new tests, and tests/ is closed', async () => {
    put('tests/a.test.ts', 'x');
    const act = (): void => put('tests/b.test.ts', 'x');
    expect(await attack({ gate: 'true', model: { protected: ['tests/**'] }, act })).toMatchObject(accepted);
    rmSync(join(cwd, 'tests/b.test.ts'));
    expect(await attack({ gate: 'true', model: { protected: ['tests/'] }, act })).toMatchObject(voided('tests/b.test.ts', 'added'));
  });

  test('a protected path through a link is the file that it leads to, and the link', async () => {
    put('shared/a.test.ts', 'strict');
    put('other.ts', 'strict');
    mkdirSync(join(cwd, 'tests'));
    symlinkSync('../shared/a.test.ts', join(cwd, 'tests/a.test.ts'));
    symlinkSync('../shared', join(cwd, 'tests/all'));
    const model = { protected: ['tests/**'] };
    expect(await attack({ gate: 'true', model, act: () => undefined })).toMatchObject(accepted);
    expect(await attack({ gate: 'true', model, act: () => put('shared/a.test.ts', 'loose') })).toMatchObject(
      voided('tests/a.test.ts (changed), tests/all/a.test.ts', 'changed'),
    );
    const moved = (): void => {
      unlinkSync(join(cwd, 'tests/a.test.ts'));
      symlinkSync('../other.ts', join(cwd, 'tests/a.test.ts'));
    };
    expect(await attack({ gate: 'true', model, act: moved })).toMatchObject(voided('tests/a.test.ts', 'changed'));
  });

  test('a protected path through a link out of the workspace is rejected before the agent is asked', async () => {
    const outside = mkdtempSync(join(tmpdir(), 'pawl-outside-'));
    mkdirSync(join(cwd, 'tests'));
    symlinkSync(outside, join(cwd, 'tests/shared'));
    let isAsked = false;
    const act = (): void => {
      isAsked = true;
    };
    const result = await attack({ gate: 'true', model: { protected: ['tests/**'] }, act });
    expect(result).toMatchObject({ error: { code: 'STEP_FAILED', message: expect.stringContaining('"tests/shared" cannot be checked') } });
    expect(isAsked).toBe(false);
    rmSync(outside, { recursive: true });
  });

  test('a protected path must not become a link out of the workspace, or a loop', async () => {
    put('tests/a.test.ts', 'x');
    symlinkSync('..', join(cwd, 'tests/loop'));
    const act = (): void => symlinkSync('/etc', join(cwd, 'tests/more'));
    const result = await attack({ gate: 'true', model: { protected: ['tests/**'] }, act });
    expect(result).toMatchObject(voided('tests/more', 'added'));
  });

  test('a protected path is not opened if it was replaced by a named pipe', async () => {
    put('tests/a.test.ts', 'x');
    const act = (): void => {
      unlinkSync(join(cwd, 'tests/a.test.ts'));
      execFileSync('sh', ['-c', 'mkfifo tests/a.test.ts tests/b.test.ts'], { cwd });
    };
    const result = await attack({ gate: 'true', model: { protected: ['tests/**'] }, act });
    expect(result).toMatchObject(voided('tests/a.test.ts (changed), tests/b.test.ts', 'added'));
    expect(existsSync(join(cwd, 'tests/b.test.ts'))).toBe(true);
  });
});

describe('unclear commands', () => {
  test.each<[string, string]>([
    ['cat ci.sh | sh', 'ci.sh'],
    ['cat ci/all.sh | bash -eu', 'ci/all.sh'],
    ['cd ci && cat all.sh | sh', 'ci/all.sh'],
    ['sh $(echo ci.sh)', 'ci.sh'],
    ['sh `echo ci.sh`', 'ci.sh'],
    ['sh < ci.sh', 'ci.sh'],
    ['bash <(cat ci.sh)', 'ci.sh'],
    ['sh -c "$(cat ci.sh)"', 'ci.sh'],
    ['eval "$(cat ci.sh)"', 'ci.sh'],
    ['. ./ci.sh', 'ci.sh'],
    ['echo ci.sh | xargs sh', 'ci.sh'],
    ["find ci -name '*.sh' -exec sh {} ';'", 'ci/all.sh'],
    ['cat ci.sh | sh', 'ci/part.sh'],
  ])('every file that an unclear command names is protected: %s (%s)', async (gate, path) => {
    put('ci.sh', 'sh ci/part.sh\n');
    put('ci/all.sh', 'exit 1\n');
    put('ci/part.sh', 'exit 1\n');
    expect(await attack({ gate, act: () => put(path, 'true\n') })).toMatchObject(voided(path, 'changed'));
  });

  test('a script that find would run may not be added', async () => {
    put('ci/all.sh', 'exit 1\n');
    const gate = "find ci -name '*.sh' -exec sh {} ';'";
    expect(await attack({ gate, act: () => put('ci/new.sh', 'kill $PPID') })).toMatchObject(voided('ci/new.sh', 'added'));
  });
});

describe('imports', () => {
  test.each<[string, string, string]>([
    ['python3 chk.py', 'json.py', 'added'],
    ['python3 chk.py', 'json/__init__.py', 'added'],
    ['python3 chk.py', 'json.cpython-311-x86_64-linux-gnu.so', 'added'],
    ['python3 tools/chk.py', 'tools/os.py', 'added'],
    ['python3 -m unittest', 'unittest.py', 'added'],
    ['python3 -c "import json"', 'json.py', 'added'],
    ['PYTHONPATH=lib python3 -m pytest', 'lib/sitecustomize.py', 'added'],
    ['PYTHONPATH=lib python3 -m pytest', 'lib/re.py', 'added'],
    ['export PYTHONPATH=lib; pytest', 'lib/re.py', 'added'],
    ['pytest tests', 'tests/re.py', 'added'],
    ['python3 -m unittest tests.t', 'tests/t/__init__.py', 'added'],
    ['python3 -m unittest tests.t', 'tests/t.py', 'changed'],
    ['python3 tools/chk.py', 'tools/helper.py', 'changed'],
    ['python3 tools/chk.py', 'tools/helper/__init__.py', 'added'],
    ['node tools/chk.js', 'tools/lib.js', 'changed'],
    ['node tools/chk.js', 'tools/deep/more.js', 'changed'],
    ['node tools/chk.js', 'tools/bare.mjs', 'added'],
    ['NODE_OPTIONS="--require ./hook.js" npm test', 'hook.js', 'added'],
    ['NODE_OPTIONS=--import=./hook.mjs node chk.js', 'hook.mjs', 'added'],
    ['BASH_ENV=./env.sh bash ci.sh', 'env.sh', 'added'],
    ['PATH=./bin:$PATH npm test', 'bin/npm', 'added'],
    ['node --require ./hook.js chk.js', 'hook.js', 'added'],
  ])('an import of a script is protected: %s: %s (%s)', async (gate, path, what) => {
    put('chk.py', 'import json\n');
    put('tools/chk.py', 'import os, helper\nfrom json import loads\n');
    put('tools/helper.py', 'x = 1\n');
    put('tests/t.py', 'x = 1\n');
    put('tools/chk.js', "import { a } from './lib.js';\nconst b = require('./bare');\n");
    put('tools/lib.js', "export * from './deep/more.js';\n");
    put('tools/deep/more.js', 'export const a = 1;\n');
    put('tools/bare.js', 'exports.b = 1;\n');
    expect(await attack({ gate, act: () => put(path, 'print(1)\n') })).toMatchObject(voided(path, what));
  });

  test('an import of the settings of a check is protected too', async () => {
    const gate = { check: 'command', run: 'npm test', env: { NODE_OPTIONS: '--require ./hook.js' } };
    expect(await attack({ gate, act: () => put('hook.js', 'process.exit(0)') })).toMatchObject(voided('hook.js', 'added'));
  });

  test.each<[string, string]>([
    ['node check.js', 'src/a.ts'],
    ['python3 chk.py', 'app.py'],
    ['python3 chk.py', 'queue.py'],
    ['python3 chk.py', 'notes.md'],
    ['node tools/chk.js', 'src/lib.js'],
    ['pytest tests', 'tests/test_new.py'],
    ['pytest', 'src/pkg/types.py'],
  ])('an import of the work itself may change: %s (%s)', async (gate, path) => {
    put('check.js', "import './src/a.ts';\n");
    put('tools/chk.js', "import '../src/lib.js';\n");
    put('src/lib.js', 'x\n');
    put('chk.py', 'import app, queue\n');
    put('app.py', 'x = 1\n');
    put('queue.py', 'x = 1\n');
    expect(await attack({ gate, act: () => put(path, 'y = 2\n'), model: { protected: ['*.md'] } })).toMatchObject(accepted);
  });

  test.each(['tests/util/__init__.py', 'tests/util.so', 'tests/help.js', 'tests/help/index.js'])(
    'a file that would be imported instead of a protected one may not be added (%s)',
    async (path) => {
      put('tests/util.py', 'x = 1\n');
      put('tests/help.ts', 'export {};\n');
      const model = { protected: ['tests/**'] };
      expect(await attack({ gate: 'pytest', model, act: () => put(path, 'x') })).toMatchObject(voided(path, 'added'));
      expect(await attack({ gate: 'pytest', model, act: () => put('tests/test_new.py', 'x') })).toMatchObject(accepted);
    },
  );
});

describe('scripts behind options and other programs', () => {
  test.each<[string, string]>([
    ['bash -eo pipefail ci/check.sh', 'ci/check.sh'],
    ['bash -euo pipefail -c "bash -o errexit ci/check.sh"', 'ci/inner.sh'],
    ['bash --rcfile ci/rc.sh ci/check.sh', 'ci/check.sh'],
    ['ash ci/check.sh', 'ci/inner.sh'],
    ['python3 -W ignore ci/check.py', 'ci/check.py'],
    ['python3 -X dev -u ci/check.py', 'ci/rules.py'],
    ['node --env-file .env ci/check.js', 'ci/check.js'],
    ['node -r ./hook.js ci/check.js', 'ci/rules.js'],
    ['node --loader ./hook.js ci/check.js', 'hook.js'],
    ['deno run -c deno.json ci/check.js', 'ci/check.js'],
    ['ruby -I lib ci/check.rb', 'ci/check.rb'],
    ['timeout -s KILL 60 sh ci/check.sh', 'ci/check.sh'],
    ['timeout -s KILL 60 ./ci/check.sh', 'ci/check.sh'],
    ['sudo -u ci sh ci/check.sh', 'ci/check.sh'],
    ['env -u FOO ./ci/check.sh', 'ci/inner.sh'],
    ['env -S "sh ci/check.sh"', 'ci/inner.sh'],
    ['dotenv -e .env.test -- sh ci/check.sh', 'ci/check.sh'],
    ['npx -p tsx tsx ci/check.js', 'ci/check.js'],
    ['coverage run check.py', 'check.py'],
    ['uv run --with pytest check.py', 'check.py'],
    ['busybox sh ci/check.sh', 'ci/check.sh'],
    ['flock ci.lock sh ci/check.sh', 'ci/check.sh'],
    ['docker run --rm image sh ci/check.sh', 'ci/check.sh'],
    ['git bisect run sh ci/check.sh', 'ci/inner.sh'],
    ['script -qec "sh ci/check.sh" /dev/null', 'ci/check.sh'],
    ['concurrently "sh ci/check.sh" "npm:lint"', 'ci/inner.sh'],
    ['./ci/run.py', 'ci/rules.py'],
    ['./ci/check.js', 'ci/rules.js'],
    ['python3 -m ci.check', 'ci/check.py'],
    ['make --file=ci.mk test', 'ci/check.sh'],
    ['make -fci.mk test', 'ci.mk'],
    ['for f in ci/*.sh; do sh "$f"; done', 'ci/check.sh'],
    ['cat ci/*.sh | sh', 'ci/new.sh'],
    ['sh $PWD/ci/check.sh', 'ci/check.sh'],
    ['bash "$(git rev-parse --show-toplevel)/ci/check.sh"', 'ci/inner.sh'],
  ])('a script behind options and other programs is protected: %s: %s', async (gate, path) => {
    put('ci/check.sh', 'sh ci/inner.sh\n');
    put('ci/inner.sh', 'true\n');
    for (const name of ['ci/check.py', 'ci/run.py', 'check.py']) put(name, '#!/usr/bin/env python3\nimport rules\n');
    put('ci/rules.py', 'x = 1\n');
    put('ci/check.js', "#!/usr/bin/env node\nrequire('./rules.js');\n");
    put('ci/rules.js', 'x\n');
    put('ci/check.rb', 'x\n');
    put('ci.mk', 'test:\n\tsh ci/check.sh\n');
    put('hook.js', 'x\n');
    const what = existsSync(join(cwd, path)) ? 'changed' : 'added';
    expect(await attack({ gate, act: () => put(path, 'exit 0\n') })).toMatchObject(voided(path, what));
  });

  test.each([
    'bash -e ci/check.sh src/a.ts',
    'node --enable-source-maps ci/check.js src/a.ts',
    'npx --yes eslint src/a.ts',
    'timeout -s KILL 60 eslint src/a.ts',
    'git diff --exit-code src/a.ts',
    'grep -c "is not allowed" src/a.ts',
  ])('the work that a script is given may change: %s', async (gate) => {
    put('ci/check.sh', 'true\n');
    put('ci/check.js', 'x\n');
    expect(await attack({ gate, act: () => put('src/a.ts', 'y\n') })).toMatchObject(accepted);
  });
});

describe('a target of make that is no file', () => {
  const makefile = (phony = '') =>
    put('Makefile', `${phony}test: lint\n\tnode --test tests/\nlint:\n\teslint .\napp: main.c\n\tcc -o app main.c\n`);

  test.each(['test', 'lint'])('is skipped if there is a file or a folder named %s, so none may be added', async (name) => {
    makefile();
    for (const act of [() => put(name, ''), () => mkdirSync(join(cwd, name))]) {
      expect(await attack({ gate: 'make -s test && echo fine', act })).toMatchObject(voided(name, 'added'));
      rmSync(join(cwd, name), { recursive: true });
    }
  });

  test('may have such a folder if it is declared `.PHONY`, if the folder was there before, or if its recipe creates it', async () => {
    makefile('.PHONY: test lint\n');
    expect(await attack({ gate: 'make test', act: () => mkdirSync(join(cwd, 'test')) })).toMatchObject(accepted);
    makefile();
    expect(await attack({ gate: 'make test', act: () => put('test/new.test.js', '') })).toMatchObject(accepted);
    expect(await attack({ gate: 'make app', act: () => put('app', 'built') })).toMatchObject(accepted);
  });
});

test.each([
  ['npm test', 'node'],
  ['npm test', 'sh'],
  ['npm run lint', 'npm'],
  ['npx --no vitest && bash check.sh', 'bash'],
])('before `%s` no %s may be added to node_modules/.bin, where scripts find it first', async (gate, name) => {
  put('package.json', json(PACKAGE));
  expect(await attack({ gate, act: () => put(`node_modules/.bin/${name}`, 'exit 0') })).toMatchObject(
    voided(`node_modules/.bin/${name}`, 'added'),
  );
});
