// Combines the kind `parallel` for the registry, with its form in workflow files.

import type { KindCompiler } from '../../authoring/graph/work.ts';
import type { Join } from '../../authoring/spec/part.ts';
import { type StageForm, stageForm } from '../../authoring/yaml/schema/form.ts';
import { joinRule } from '../../authoring/yaml/schema/rule.ts';
import type { StageWriter } from '../../authoring/yaml/write/stage.ts';
import { omitUndefined } from '../../base/fields.ts';
import type { JsonObject } from '../../base/json.ts';
import type { StepOf } from '../../definition/model.ts';
import { parallel as compiler } from './compile.ts';

/** The branches, and how many of them must succeed. */
const yaml: StageForm = stageForm({
  meaning: 'Several branches that run at the same time.',
  transitions: ['on_any_reject', 'on_all_reject', 'on_fail'],
  branch: 'group',
  fields: ({ z, noted, branch, count }) => ({
    join: noted(z.union([z.enum(['all', 'any']), z.string().regex(/^[1-9]\d*-of-[1-9]\d*$/)]), {
      description: 'How many branches must succeed: all, any, or N-of-M, where M is the number of branches. Default: all.',
      examples: ['2-of-3'],
      role: 'literal',
      accepts: 'all, any or N-of-M such as 2-of-3',
    }).optional(),
    branches: noted(z.array(branch).min(1), {
      description: 'The branches; they start together. Without a `type` they are agents.',
      examples: [[{ id: 'security', agent: 'security-review', action: 'review' }]],
      accepts: 'a list of branches',
    }),
    concurrency: count('How many branches run at the same time. Default: all.', 2).optional(),
  }),
  toSpec({ join, branches, concurrency }, { memberOf }) {
    return {
      parallel: {
        branches: branches.map(memberOf),
        ...omitUndefined({ join: join === undefined ? undefined : joinOf(join), concurrency }),
      },
    };
  },
  rules: ({ join, branches }, path, { workRules }) => [
    ...joinRule(join, branches.length, path),
    ...branches.flatMap((branch, index) => workRules(branch, [...path, 'branches', index])),
  ],
});

/** `2-of-3` waits for two; that there are three has been checked. */
function joinOf(join: string): Join {
  return join === 'all' || join === 'any' ? join : Number.parseInt(join, 10);
}

/** Branches as a stage. */
function write({ join, members, concurrency }: StepOf<'parallel'>, { memberOf }: Pick<StageWriter, 'memberOf'>): JsonObject {
  const rule = join.rule === 'count' ? `${join.n}-of-${members.length}` : join.rule;
  return omitUndefined({ join: rule, branches: members.map(memberOf), concurrency });
}

/** The registry entry of the kind `parallel`. */
export const parallelKind: KindCompiler = { ...compiler, write, yaml };
