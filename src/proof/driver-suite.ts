// Owns the contract of agent drivers, as tests. The test file of a driver calls the suite once, with a function that
// creates drivers whose agent behaves as the suite requires.

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { AgentAnswer, AgentDriver, AgentRequest } from '../agents/driver.ts';
import type { Json } from '../base/json.ts';
import { removeFolder } from '../process/remove-folder.ts';
import { describePermissions, describeProgram, describeRepair, describeSessions } from './driver-traits.ts';

/** How the agent behind a driver behaves in one test. */
export type DriverBehaviour =
  /** Answers with this output; `success` is true by default. */
  | { readonly agent: 'answers'; readonly output: Json; readonly success?: boolean }
  /** Answers with `{ prompt }`: the prompt that it received. */
  | { readonly agent: 'echoes' }
  /** Calls `begun`, then does nothing, and ignores the request to stop. */
  | { readonly agent: 'hangs'; readonly begun: () => void }
  /** Ends without an answer: a program exits, a script throws. */
  | { readonly agent: 'crashes' }
  /** Answers with something that is not JSON. */
  | { readonly agent: 'sends-garbage' }
  /** Answers with the output `first`, and with `{ corrected: true }` once its instructions contain `feedback`. */
  | { readonly agent: 'corrects'; readonly first: Json; readonly feedback: string }
  /** Answers with `{ prompts }`: all prompts of its session so far, this one included. */
  | { readonly agent: 'remembers' }
  /** Tries to fetch something from the network, then answers with `{ allowed }`. */
  | { readonly agent: 'fetches' }
  /** Answers with this output, then its program never ends. */
  | { readonly agent: 'lingers'; readonly output: Json }
  /** Answers with `{ env }`: the names of the variables it sees. */
  | { readonly agent: 'lists-env' }
  /** Leaves a program running in its own session, then answers with this output. */
  | { readonly agent: 'forks'; readonly output: Json };

/**
 * Abilities that only some agents have. `repair`: an invalid answer is sent back to be corrected; `sessions`: a session can be
 * resumed; `permissions`: it asks before each action; `program`: it is a separate program.
 */
export type DriverTrait = 'repair' | 'sessions' | 'permissions' | 'program';

/** The functions that the test file of a driver passes to the suite. */
export interface DriverHarness {
  /** Creates a driver whose agent behaves like this. */
  create(behaviour: DriverBehaviour): AgentDriver | Promise<AgentDriver>;
  /** The traits that the suite tests in addition to the common contract. */
  readonly traits?: readonly DriverTrait[];
  /** How many processes, connections and timers of all agents called so far are still alive, according to the system. */
  running(): number | Promise<number>;
}

const PROMPT_MS = 10_000;

/** Tests that a driver fulfils the contract of `AgentDriver`. */
export function describeDriver(name: string, harness: DriverHarness): void {
  const cwd = mkdtempSync(join(tmpdir(), 'pawl-driver-'));
  afterAll(() => removeFolder(cwd));
  const callAgent = async (behaviour: DriverBehaviour, request: Partial<AgentRequest> = {}): Promise<AgentAnswer> =>
    (await harness.create(behaviour)).ask(createAgentRequest({ cwd, ...request }));

  describe(`driver ${name}`, () => {
    describeAnswers(callAgent);
    describeEnds(callAgent, harness);
    const { traits = [] } = harness;
    if (traits.includes('repair')) describeRepair(callAgent);
    if (traits.includes('sessions')) describeSessions(callAgent);
    if (traits.includes('permissions')) describePermissions(callAgent);
    if (traits.includes('program')) describeProgram(callAgent, harness);
  });
}

/** Calls an agent with this behaviour. */
export type CallAgent = (behaviour: DriverBehaviour, request?: Partial<AgentRequest>) => Promise<AgentAnswer>;

function describeAnswers(callAgent: CallAgent): void {
  test.each<[string, Json]>([
    ['an object', { decision: 'approved', notes: ['ä', '', 1.5, null, { deep: true }] }],
    ['a text', 'done\nwith "quotes" and </context>'],
    ['nothing', null],
    ['keys that are names of the language', JSON.parse('{"__proto__": {"a": 1}, "constructor": 2}') as Json],
  ])('an answer is the output of the agent, byte for byte: %s', async (_what, output) => {
    const answer = await callAgent({ agent: 'answers', output });
    expect(answer).toMatchObject({ kind: 'answered', success: true });
    expect(JSON.stringify(answer.kind === 'answered' ? answer.output : undefined)).toBe(JSON.stringify(output));
  });

  test('an agent that reports failure has answered, without success', async () => {
    const answer = await callAgent({ agent: 'answers', output: { why: 'no disk' }, success: false });
    expect(answer).toMatchObject({ kind: 'answered', success: false, output: { why: 'no disk' } });
  });

  test('the agent receives the prompt unchanged', async () => {
    const prompt = 'Previous attempt failed: "$(id)" `x`\n\n# Do it\n\ttabs, ünïcode, {{ braces }}';
    const answer = await callAgent({ agent: 'echoes' }, { prompt });
    expect(answer).toMatchObject({ kind: 'answered', output: { prompt } });
  });

  test('the agent receives the feedback of a failed attempt', async () => {
    const prompt = 'Previous attempt failed: no chapter changed\n\n# Work';
    const answer = await callAgent({ agent: 'echoes' }, { attempt: 2, feedback: 'no chapter changed', prompt });
    expect(answer).toMatchObject({ kind: 'answered', output: { prompt } });
  });

  test('output that is not JSON is a failure, not an answer', async () => {
    expect(await callAgent({ agent: 'sends-garbage' }, { schema: { type: 'object' } })).toMatchObject({
      kind: 'failed',
      failure: 'invalid-output',
    });
  });
}

function describeEnds(callAgent: CallAgent, harness: DriverHarness): void {
  test('an agent that stops in the middle is a failure, not a rejection', async () => {
    const answer = await callAgent({ agent: 'crashes' });
    expect(answer).toMatchObject({ kind: 'failed', failure: 'crash' });
    expect(answer.kind === 'failed' ? answer.message : '').not.toBe('');
    expect(await harness.running()).toBe(0);
  });

  test('a stopped attempt ends promptly and leaves nothing running', async () => {
    const controller = new AbortController();
    let stoppedAt = 0;
    const begun = (): void => {
      stoppedAt = performance.now();
      controller.abort();
    };
    const answer = await callAgent({ agent: 'hangs', begun }, { signal: controller.signal });
    expect(answer).toMatchObject({ kind: 'failed', failure: 'aborted' });
    expect(performance.now() - stoppedAt).toBeLessThan(PROMPT_MS);
    expect(await harness.running()).toBe(0);
  });

  test('an attempt that was stopped before it started does not call the agent', async () => {
    let asked = false;
    const begun = (): void => {
      asked = true;
    };
    const answer = await callAgent({ agent: 'hangs', begun }, { signal: AbortSignal.abort() });
    expect(answer).toMatchObject({ kind: 'failed', failure: 'aborted' });
    expect(asked).toBe(false);
  });

  test('an attempt ends at its time limit and leaves nothing running', async () => {
    const answer = await callAgent({ agent: 'hangs', begun: () => {} }, { timeoutMs: 50 });
    expect(answer).toMatchObject({ kind: 'failed', failure: 'timeout' });
    expect(await harness.running()).toBe(0);
  });
}

/** A request for an agent, for tests; `fields` replace its defaults. */
export function createAgentRequest(fields: Partial<AgentRequest> & Pick<AgentRequest, 'cwd'>): AgentRequest {
  return {
    role: 'developer',
    runId: 'run1',
    step: 'work',
    path: 'work#1',
    attempt: 1,
    idempotencyKey: 'run1/work#1/1',
    prompt: '# Work',
    action: undefined,
    script: undefined,
    context: {},
    feedback: undefined,
    env: {},
    timeoutMs: undefined,
    signal: new AbortController().signal,
    ...fields,
  };
}
