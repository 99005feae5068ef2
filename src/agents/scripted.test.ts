import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { Json } from '../base/json.ts';
import { removeFolder } from '../process/remove-folder.ts';
import { createAgentRequest, type DriverBehaviour, describeDriver } from '../proof/driver-suite.ts';
import type { AgentAnswer, AgentFailure } from './driver.ts';
import { createScriptedDriver, type Script } from './scripted.ts';

let running = 0;

// Hangs until its own signal aborts, and counts as running until then.
function hang(signal: AbortSignal): Promise<AgentAnswer> {
  running += 1;
  signal.addEventListener('abort', () => {
    running -= 1;
  });
  return new Promise(() => {});
}

function scriptOf(behaviour: DriverBehaviour): Script {
  return (request) => {
    switch (behaviour.agent) {
      case 'answers':
        return [{ do: 'answer', output: behaviour.output, success: behaviour.success ?? true }];
      case 'echoes':
        return { kind: 'answered', success: true, output: { prompt: request.prompt } };
      case 'hangs':
        queueMicrotask(behaviour.begun);
        return hang(request.signal);
      case 'crashes':
        throw new Error('the script broke');
      case 'sends-garbage':
        return { kind: 'answered', success: true, output: (() => 1) as unknown as Json };
      default:
        throw new Error(`a script has no agent that ${behaviour.agent}`);
    }
  };
}

describeDriver('scripted', {
  create: (behaviour) => createScriptedDriver(scriptOf(behaviour)),
  running: () => running,
});

describe('scripts', () => {
  const cwd = mkdtempSync(join(tmpdir(), 'pawl-scripted-'));
  afterAll(() => removeFolder(cwd));
  const ask = (script: Script, signal = new AbortController().signal) =>
    createScriptedDriver(script).ask(createAgentRequest({ cwd, signal }));

  test('a script can do the work before it answers', async () => {
    const answer = await ask(() => [
      { do: 'write', path: 'notes/a.txt', text: 'written' },
      { do: 'answer', output: { file: 'notes/a.txt' } },
    ]);
    expect(answer).toEqual({ kind: 'answered', success: true, output: { file: 'notes/a.txt' } });
    expect(readFileSync(join(cwd, 'notes/a.txt'), 'utf8')).toBe('written');
  });

  test('a script without an answer claims that everything is done', async () => {
    expect(await ask(() => [])).toEqual({ kind: 'answered', success: true, output: null });
  });

  test('a script does not write outside the workspace', async () => {
    const answer = await ask(() => [{ do: 'write', path: '../stray.txt', text: '' }]);
    expect(answer).toMatchObject({ kind: 'failed', failure: 'crash', message: expect.stringContaining('outside the workspace') });
    expect(existsSync(join(cwd, '../stray.txt'))).toBe(false);
  });

  test.each<AgentFailure>(['crash', 'timeout', 'quota', 'auth', 'refused', 'invalid-output'])(
    'a script can fail by class: %s',
    async (failure) => {
      const answer = await ask(() => [{ do: 'fail', failure, message: 'as written', resumeAt: 5 }]);
      expect(answer).toEqual({ kind: 'failed', failure, message: 'as written', resumeAt: 5 });
    },
  );

  test('a script makes no moves after it was stopped', async () => {
    const controller = new AbortController();
    let reached = false;
    const late = {
      do: 'write' as const,
      get path() {
        reached = true;
        return 'late.txt';
      },
      text: '',
    };
    const asked = ask(() => [{ do: 'hang' }, late], controller.signal);
    controller.abort();
    expect(await asked).toMatchObject({ failure: 'aborted' });
    await new Promise(setImmediate);
    expect(reached).toBe(false);
  });
});
