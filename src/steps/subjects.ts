// Owns what a question to a person is about outside the run: files by their content, a pull request by its head. What
// cannot be looked at is part of it, so that nobody approves what was not seen.

import { messageOf } from '../base/error.ts';
import type { Json, JsonObject } from '../base/json.ts';
import type { HumanGateModel } from '../definition/model.ts';
import type { AttemptRequest, Snapshot } from './attempt.ts';
import { digestMatching } from './outputs/workspace-digest.ts';
import type { StepServices } from './services.ts';

/** The things that the question of a step is about, as they are now. */
export async function observeSubjects(services: StepServices, request: AttemptRequest, { data }: Snapshot): Promise<JsonObject> {
  const { subjects } = request.bound.model.gate as HumanGateModel;
  const files = subjects?.files === undefined ? undefined : await filesOf(services.cwd, subjects.files, request.signal);
  const pr = subjects?.pr === true ? await headOf(services, data.pr_number) : undefined;
  return { ...(files === undefined ? {} : { files }), ...(pr === undefined ? {} : { pr }) };
}

async function filesOf(cwd: string, patterns: readonly string[], signal: AbortSignal): Promise<JsonObject> {
  const digests: Record<string, Json> = {};
  for (const pattern of patterns) {
    try {
      for (const [path, digest] of await digestMatching({ cwd, pattern, signal })) digests[path] = digest;
    } catch (thrown) {
      if (signal.aborted) throw thrown;
      digests[pattern] = { problem: messageOf(thrown) };
    }
  }
  return digests;
}

async function headOf({ forge }: StepServices, number: Json | undefined): Promise<JsonObject | undefined> {
  if (forge === undefined || typeof number !== 'number') return undefined;
  const answer = await forge.pullRequest(number);
  return answer.result === 'ok' ? { number, head: answer.value.headSha } : { number, problem: answer.message };
}
