// Reads the subjects of a question to a person: files by their content, a pull request by its head. Unreadable
// subjects are listed with the problem, so that no one approves something unseen.

import { messageOf } from '../base/error.ts';
import { omitUndefined } from '../base/fields.ts';
import type { Json } from '../base/json.ts';
import type { ApprovalModel } from '../definition/model.ts';
import type { Problem, SeenSubjects } from '../definition/question/subjects.ts';
import { type DigestQuery, digestMatching } from './outputs/workspace-digest.ts';
import type { StepServices } from './services.ts';
import type { Job } from './work.ts';
import { requiredVerdicts, staleVerdicts } from './workspace/tree-verdict.ts';
import { differingFiles, treeNow } from './workspace/workspace-tree.ts';

const CHANGES_MAX = 20;

type OtherEntry = Parameters<NonNullable<DigestQuery['onOther']>>[0];

const PROBLEMS: Readonly<Record<OtherEntry['kind'], string>> = {
  outside: 'it is a link that leads out of the workspace, and is not read',
  dangling: 'it is a link that leads nowhere',
  special: 'it is a named pipe, a socket or a device, and is not read',
};

/** The current subjects of a step's question. */
export async function observeSubjects(job: Job): Promise<SeenSubjects> {
  const { request, context } = job;
  const { services } = job.runner;
  const { data } = context.snapshot;
  const { subjects } = request.bound.model.question as ApprovalModel;
  const files = subjects?.files === undefined ? undefined : await filesOf(services.cwd, subjects.files, request.signal);
  const pr = subjects?.pr === true ? await headOf(services, data.pr_number) : undefined;
  const tree = subjects?.tree === true ? await treeOf(job) : undefined;
  return omitUndefined({ files, pr, tree });
}

/** The tree of the workspace, and the verdicts of gates and reviews that are about another tree. */
async function treeOf(job: Job): Promise<SeenSubjects['tree']> {
  try {
    const { id } = (await treeNow(job)) ?? {};
    if (id === undefined) return undefined;
    const staleChecks = staleVerdicts(job.runner, await requiredVerdicts(job), { tree: id }).filter(({ by }) => by !== 'approval');
    const filesSince = async (tree: string) => (await differingFiles(job.runner.services.cwd, tree, id)).slice(0, CHANGES_MAX);
    const stale = await Promise.all(
      staleChecks.map(async ({ step, tree }) => ({ step, files: tree === null ? [] : await filesSince(tree) })),
    );
    return { id, ...(stale.length === 0 ? {} : { stale }) };
  } catch (thrown) {
    if (job.request.signal.aborted) throw thrown;
    return { problem: messageOf(thrown) };
  }
}

async function filesOf(cwd: string, patterns: readonly string[], signal: AbortSignal): Promise<SeenSubjects['files']> {
  const digests: Record<string, string | Problem> = {};
  for (const pattern of patterns) {
    try {
      const onOther = (entry: OtherEntry): void => {
        digests[entry.name] = { problem: PROBLEMS[entry.kind] };
      };
      for (const [path, digest] of await digestMatching({ cwd, pattern, signal, onOther })) digests[path] = digest;
    } catch (thrown) {
      if (signal.aborted) throw thrown;
      digests[pattern] = { problem: messageOf(thrown) };
    }
  }
  return digests;
}

async function headOf({ forge }: StepServices, number: Json | undefined): Promise<SeenSubjects['pr']> {
  if (forge === undefined || typeof number !== 'number') return undefined;
  const answer = await forge.pullRequest(number);
  return answer.result === 'ok' ? { number, head: answer.value.headSha } : { number, problem: answer.message };
}
