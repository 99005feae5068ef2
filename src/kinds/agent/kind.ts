// Combines the kind `agent` for the registry, with its form in workflow files.

import type { KindCompiler } from '../../authoring/graph/work.ts';
import { nonEmpty, outputsOf, restrictionsOf } from '../../authoring/yaml/compile/part.ts';
import type { YamlPath } from '../../authoring/yaml/position/position.ts';
import type { PlacedFault } from '../../authoring/yaml/problem/schema.ts';
import { type StageForm, stageForm } from '../../authoring/yaml/schema/form.ts';
import { outputRules } from '../../authoring/yaml/schema/rule.ts';
import { omitUndefined } from '../../base/fields.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import { readWrittenBudget, writeBudget } from '../../definition/budget.ts';
import type { StepOf } from '../../definition/model.ts';
import { patternRefusal } from '../../definition/output-pattern.ts';
import type { KindExecutor } from '../../steps/work.ts';
import { agent as compiler } from './compile.ts';
import { execute } from './run.ts';

/** The worker, its task, and what it must produce. */
const yaml: StageForm = stageForm({
  meaning: 'Work of an agent.',
  transitions: ['on_reject', 'on_fail', 'on_conflict'],
  branch: 'default',
  fields: ({ literal, template, byName, tree, flag, texts, budget, outputs, fresh, restrictions, databases }) => ({
    agent: literal('The role of the agent.', 'feat-dev'),
    action: literal('The task, as its prompt names it.', 'implement').optional(),
    prompt: template('Its instructions, in addition to the prompt of its role.', 'Fix #{{ context.issue_number }}').optional(),
    context: byName(tree('A value, which may have templates.'), {
      description: 'Values for the agent.',
      examples: [{ plan: '{{ outputs.implementation_plan }}' }],
    }).optional(),
    independent: flag(
      'This stage reviews work: it must be done by an agent that did none of that work, and that agent sees neither earlier results nor earlier failures. Default: false.',
    ).optional(),
    continue_session: flag('Continues the latest session of the same role in this run. Default: false.').optional(),
    reviews: flag('The agent reviews and must give a verdict. Default: true for a stage with `on_reject`, false otherwise.').optional(),
    supports_questions: flag('The agent may ask the person it works for; a fresh attempt gets the answers. Default: false.').optional(),
    question_state: literal(
      'The files in which the agent saves its progress before it asks; questions without it are rejected. Needs `supports_questions`.',
      'plan.json',
    ).optional(),
    schema: byName(tree('A part of the schema.'), {
      description: 'The JSON Schema that its output must match.',
      examples: [{ type: 'object', required: ['summary'], properties: { summary: { type: 'string' } } }],
    }).optional(),
    protected: texts('Patterns of files that the agent must not change, in addition to those that are always protected.', [
      'tests/**',
    ]).optional(),
    may_change: texts('Patterns of protected files that the agent may change anyway.', ['tests/new/**']).optional(),
    budget: budget.optional(),
    outputs,
    fresh,
    ...restrictions,
    databases,
  }),
  toSpec(stage) {
    const { agent, action, prompt, context, schema, budget, outputs, protected: guarded, may_change: mayChange } = stage;
    return {
      agent,
      // An agent of a file sees the run's data: what failed, which issue it is about.
      ...(stage.independent === true ? { independent: true as const } : { seesContext: true }),
      ...omitUndefined({ action, prompt, protected: guarded, mayChange, schema: schema as JsonObject | undefined }),
      ...omitUndefined({ context: nonEmpty(context), budget: budget && readWrittenBudget(budget) }),
      ...omitUndefined({
        reviews: stage.reviews,
        continueSession: stage.continue_session,
        supportsQuestions: stage.supports_questions || undefined,
        questionState: stage.question_state,
      }),
      ...outputsOf(stage),
      ...restrictionsOf(stage),
      // A verified pull request becomes the pull request of the run.
      ...(outputs?.some(({ type }) => type === 'pr') ? { merges: ['pr_number'] } : {}),
    };
  },
  rules: (stage, path) => [...outputRules(stage, path), ...stateRule(stage, path)],
});

/** State is saved before a question, so the agent must be allowed to ask, and the files must be in the workspace. */
function stateRule(
  stage: { readonly question_state?: string | undefined; readonly supports_questions?: boolean | undefined },
  path: YamlPath,
): PlacedFault[] {
  const { question_state: pattern, supports_questions: mayAsk } = stage;
  if (pattern === undefined) return [];
  const place = [...path, 'question_state'];
  const refusal = patternRefusal(pattern);
  if (refusal !== undefined) {
    const message = `the pattern "${pattern}" of "question_state" cannot be used: ${refusal}`;
    return [{ code: 'FIELD_INVALID', message, hint: 'write one inside the workspace, such as plan.json', path: place, part: 'value' }];
  }
  if (mayAsk === true) return [];
  const message = '"question_state" has no effect: the agent may not ask questions';
  return [{ code: 'FIELD_CONFLICT', message, hint: 'add "supports_questions: true", or remove it', path: place, part: 'key' }];
}

/** An agent step as a stage. */
function write({ config, supportsQuestions, questionState, outputs, fresh, independent }: StepOf<'agent'>): JsonObject {
  const { role, continueSession, seesContext: _seen, budget, ...fields } = config;
  return omitUndefined({
    agent: role,
    ...(fields as JsonObject),
    outputs: outputs as unknown as Json | undefined,
    fresh,
    independent,
    continue_session: continueSession,
    supports_questions: supportsQuestions,
    question_state: questionState,
    budget: budget && writeBudget(budget),
  });
}

/** The registry entry of the kind `agent`. */
export const agentKind: KindCompiler & KindExecutor = { ...compiler, execute, write, yaml };
