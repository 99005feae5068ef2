// `pawl prompt WORKFLOW [STEP]`: prints the instructions for the first visit of a step, without a run.

import type { AttendedRun, OpenWork } from '../../attended/attended-run.ts';
import { withoutSubmission } from '../../attended/submission.ts';
import { EngineError } from '../../base/error.ts';
import { omitUndefined } from '../../base/fields.ts';
import type { JsonObject } from '../../base/json.ts';
import { didYouMean } from '../../base/suggest.ts';
import type { Definition } from '../../definition/model.ts';
import { argValueFaults } from '../../definition/param/arg.ts';
import { REGISTRY } from '../../kinds/registry.ts';
import { agentSteps, type Preview, type PreviewRequest, previewOf } from '../../steps/instructions/preview.ts';
import { replyLines } from '../attended/rendering.ts';
import { type CommandRun, type ParsedArgs, usageError } from '../command.ts';
import { loadWorkflow } from '../load.ts';
import { previewServices } from '../open-engine.ts';
import { readParams } from '../params.ts';
import { findSetup } from '../session.ts';
import type { Shell } from '../shell.ts';

/** Runs the command. */
export const run: CommandRun = async (shell, args) => {
  const setup = await findSetup(shell, args);
  const { workflow } = await loadWorkflow(shell, setup.project, args.word('WORKFLOW'));
  const { definition } = workflow;
  const { step, group } = stepNamed(definition, agentSteps(definition.steps), args.maybe('STEP'));
  const { params, data } = valuesFor(shell, args, { definition, step, ...omitUndefined({ group }) });
  const request = { workflow, step, params, data, isAttended: args.has('attended'), ...omitUndefined({ group }) };
  const preview = await previewOf(await previewServices(shell, setup), REGISTRY, request);
  const text = await textOf(shell, preview, { workflow: definition.name, step: step.id });
  const bytes = Buffer.byteLength(text);
  if (shell.wantsJson) return shell.result({ workflow: definition.name, step: step.id, as: preview.kind, bytes, text }, () => []);
  shell.print(text);
  return 0;
};

function stepNamed(
  { name: workflow, form }: Pick<Definition, 'name' | 'form'>,
  known: ReturnType<typeof agentSteps>,
  name: string | undefined,
): Pick<PreviewRequest, 'step' | 'group'> {
  const names = known.map(({ step, group }) => (group === undefined || group.kind === 'each' ? step.id : `${group.id}/${step.id}`));
  const index = name === undefined ? (known.length === 1 ? 0 : -1) : names.findIndex((one) => one === name || one.endsWith(`/${name}`));
  const found = known[index];
  if (found !== undefined) return found;
  if (known.length === 0)
    throw usageError(
      form === 'flow'
        ? `"${workflow}" is a flow, so its steps are not known before it runs; "pawl next RUN" prints what is open in an attended run of it`
        : `no step of "${workflow}" is done by an agent, so there is no prompt to show`,
    );
  const which =
    name === undefined
      ? `name a step of "${workflow}"`
      : `"${name}" is not a step of "${workflow}" that an agent does${didYouMean(name, names)}`;
  throw usageError(`${which}: ${names.join(', ')}`);
}

/** The parameters of the workflow, and the arguments of the step, which a run would have in its data. */
function valuesFor(
  shell: Shell,
  args: ParsedArgs,
  { definition, step, group }: Pick<PreviewRequest, 'step' | 'group'> & { readonly definition: Definition },
): { readonly params: JsonObject; readonly data: JsonObject } {
  const stepArgs = group?.kind === 'each' ? { ...group.args, ...step.args } : step.args;
  const declared = { ...definition.params, ...stepArgs };
  const values = readParams(shell, args, declared);
  const faults = argValueFaults(declared, values);
  if (faults.length > 0) throw new EngineError('PARAMS_INVALID', `the values for step "${step.id}" are not valid: ${faults.join('; ')}`);
  const only = (isWanted: (name: string) => boolean) => Object.fromEntries(Object.entries(values).filter(([name]) => isWanted(name)));
  const isData = (name: string) => Object.hasOwn(stepArgs, name);
  const isParam = (name: string) => !isData(name) || Object.hasOwn(definition.params, name);
  return { params: { ...defaultsOf(definition.params), ...only(isParam) }, data: only(isData) };
}

function defaultsOf(params: Readonly<Record<string, { readonly default?: unknown; readonly required: boolean }>>) {
  return Object.fromEntries(
    Object.entries(params).flatMap(([name, { default: value, required }]) =>
      value !== undefined ? [[name, value]] : required ? [[name, `<${name}>`]] : [],
    ),
  ) as Record<string, never>;
}

async function textOf(shell: Shell, preview: Preview, at: { readonly workflow: string; readonly step: string }): Promise<string> {
  if (preview.kind === 'driven') return preview.prompt;
  const { workflow, step } = at;
  const work: OpenWork = { ...preview.handover, run: 'RUN', path: `${step}#1`, step, attempt: 1, token: 'TOKEN', number: undefined };
  const run: AttendedRun = { id: 'RUN', workflow, position: 0, kind: 'work', work: [work] };
  if (shell.format === 'xml') return (await import('../attended/xml.ts')).replyXml(shell, withoutSubmission(run));
  return replyLines(shell, withoutSubmission(run)).join('\n');
}
